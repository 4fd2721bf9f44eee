/// A job service: functions of a program, run by a pool of ranks, behind HTTP.
///
///     Service ──▶ RunningService ── web: requests, tokens, events, page
///                     │                      │
///                     └─ job: the queue, files, the pool ◀── json: values from JSON and back
///     ServedCall, JobOutput: on a worker
///
/// Rules: a client brings values, never code, names of files or addresses. What a request may do is a row
/// of one table. A job is on the disk before its client hears of it. See docs/service.md and
/// docs/decisions/71.
///
/// Not here yet: programs that are started as jobs, a queue of Slurm behind the service.
@NullMarked
package org.tutti.serve;

import org.jspecify.annotations.NullMarked;
