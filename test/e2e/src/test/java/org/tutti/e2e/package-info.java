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
///     dropin      programs for Open MPI's Java bindings and MPJ Express
///
/// Rules: a test extends [org.tutti.e2e.job.JobTest], which looks for what is left. A helper of one room is
/// there;
/// `command`, `contract` and `training` use `document.Example`, `launch` uses `diagnosis.TraceFile`,
/// `diagnosis` uses
/// `local.MistakenTest`, and no others.
///
/// Tests of other kinds that need all modules:
///
///     contract    runs the contract of tutti-conformance on every engine and number of ranks
///     local       ranks as threads of the test's JVM
///     rules       the source tree: arrows between packages, sizes, the API, what is published
package org.tutti.e2e;
