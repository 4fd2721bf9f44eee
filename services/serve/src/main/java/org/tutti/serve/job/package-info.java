/// The jobs of a service: their order, their files, what becomes of them.
///
///     JobQueue ── all jobs, the queue ──▶ ServiceJob ──▶ JobFiles: its files
///        ▲                                   └────────▶ EventLog: what it says
///     JobRunner ── gives the first of the queue to the pool, as many at a time as there are workers
///
/// Rules: a job is on the disk before anybody hears of it, and is `running` there before it runs, so that
/// after a crash one that may have begun never begins again. A line of a file is whole or is not there.
/// Names of files are made here, of random bits; no text of a client is one. Nothing here knows of HTTP.
@NullMarked
package org.tutti.serve.job;

import org.jspecify.annotations.NullMarked;
