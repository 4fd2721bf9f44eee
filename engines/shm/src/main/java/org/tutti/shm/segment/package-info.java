/// The shared memory of a job, as the shm engine lays it out: drawn in [org.tutti.shm.segment.Segment].
///
///     Segment ──offsets──▶ rings (org.tutti.shm.channel)      Bells ──sleep, wake──▶ OsDoor, or threads of this JVM
///
/// Rules: knows no message. All bytes are zero when the job begins, and zero is a valid beginning for every
/// field, so that nobody has to be first. Memory is taken in extents, by a write that can fail, before it is
/// touched through the mapping.
@NullMarked
package org.tutti.shm.segment;

import org.jspecify.annotations.NullMarked;
