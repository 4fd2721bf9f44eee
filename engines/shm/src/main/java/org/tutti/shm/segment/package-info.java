/// The layout of the job's shared memory in the shm engine: drawn in [org.tutti.shm.segment.Segment].
///
///     Segment ──offsets──▶ rings (org.tutti.shm.channel)   Bells ──sleep, wake──▶ OsPlatform, or threads of this JVM
///
/// Rules: this package is independent of messages. All bytes are zero at the start of the job, and zero is a
/// valid initial value for every field, so no process has to initialize the memory. Before an extent is
/// accessed through the mapping, it is committed by a write, which can fail without harm.
@NullMarked
package org.tutti.shm.segment;

import org.jspecify.annotations.NullMarked;
