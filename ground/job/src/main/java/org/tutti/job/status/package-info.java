/// Communication between ranks and the launcher about the state of a job: pages of a shared file, or lines on
/// stderr between machines.
///
///     JobStatus: one page per rank ── WaitPage: the waits ── FlightRing: the last operations
///     StacksFile: the stacks
///     ReportLine, WaitLines: the same information, as lines
@NullMarked
package org.tutti.job.status;

import org.jspecify.annotations.NullMarked;
