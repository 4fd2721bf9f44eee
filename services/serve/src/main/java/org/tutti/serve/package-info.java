/// A job service: functions of a program, run by a pool of ranks, over HTTP.
///
///     Service ──▶ RunningService ── web: requests, tokens, events, page
///                     │                      │
///                     └─ job: the queue, files, the pool ◀── json: values from JSON and back
///     ServedCall, JobOutput: on a worker
///
/// Rules: a client sends values, never code, file names or addresses. The role that each request requires is
/// stated in one table. A job is on disk before the client is answered. See docs/service.md and
/// docs/decisions/71.
///
/// Not implemented: programs that are started as jobs, Slurm as a queue for the service.
@NullMarked
package org.tutti.serve;

import org.jspecify.annotations.NullMarked;
