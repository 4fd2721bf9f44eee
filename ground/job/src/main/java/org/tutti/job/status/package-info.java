/// What ranks and their launcher tell each other about the state of a job: pages of a file that they share, or lines on
/// stderr between machines.
///
///     JobStatus: one page per rank ── WaitPage: what it waits for ── FlightRing: its last operations
///     StacksFile: its stacks
///     ReportLine, WaitLines: the same as lines
@NullMarked
package org.tutti.job.status;

import org.jspecify.annotations.NullMarked;
