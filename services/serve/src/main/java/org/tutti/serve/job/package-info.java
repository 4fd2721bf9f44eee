/// The jobs of a service: order, files and states.
///
///     JobQueue ── all jobs, the queue ──▶ ServiceJob ──▶ JobFiles: files of the job
///        ▲                                   └────────▶ EventLog: events of the job
///     JobRunner ── submits the first job to the pool, one at a time for each worker
///
/// Rules: a job is on disk before the client is answered, and is recorded on disk as `running` before it runs,
/// so that after a crash a job that may have started never begins again. A line of a file is complete or
/// ignored. File names are created here, from random bits; no text of a client is used in a file name. This
/// package does not depend on HTTP.
@NullMarked
package org.tutti.serve.job;

import org.jspecify.annotations.NullMarked;
