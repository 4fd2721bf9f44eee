/// End to end: Tutti's command as a user types it, over shared memory, Open MPI and MPICH. Each test asserts
/// that a job ends, with which exit code and words, and that nothing is left of it; never how fast.
///
///     command     what `tutti` understands, and what it says to wrong words
///     document    what README.md, docs and examples promise
///     launch      where ranks begin: hosts, cpus, Slurm, torchrun, a JVM that spawns
///     library     what an installed MPI library does beside Tutti
///     failure     jobs that fail, are stopped or killed: what they say, what they leave
///     diagnosis   what Tutti finds out about a program that is wrong, slow or stopped
///     load        correct programs of many kinds, under load
///     training    networks of libtorch and DJL
///
/// Rules: a test extends [org.tutti.testkit.job.JobTest], which looks for what is left. A helper of one room is there;
/// `command` and `training` use `document.Example`, `launch` uses `diagnosis.TraceFile`, and no others.
package org.tutti.testkit.e2e;
