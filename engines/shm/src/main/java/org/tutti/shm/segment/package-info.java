/// The layout of the job's shared memory in the shm engine: drawn in [org.tutti.shm.segment.Segment].
///
///     Segment ──offsets──▶ rings (org.tutti.shm.channel)   Bells ──sleep, wake──▶ OsPlatform, or threads of this JVM
///
/// Rules: this package does not know messages. All bytes are zero at the start of the job, and zero is a valid
/// initial value for every field, so no process has to initialize. An extent is committed by a write that can
/// fail before the mapping is accessed.
@NullMarked
package org.tutti.shm.segment;

import org.jspecify.annotations.NullMarked;
