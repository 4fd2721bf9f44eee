/// Communication between ranks and their launcher about the state of a job: pages of a shared file, or lines on
/// stderr between machines.
///
///     JobStatus: one page per rank ── WaitPage: its waits ── FlightRing: its last operations
///     StacksFile: its stacks
///     ReportLine, WaitLines: the same as lines
@NullMarked
package org.tutti.job.status;

import org.jspecify.annotations.NullMarked;
