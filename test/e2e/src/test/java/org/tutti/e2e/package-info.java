/// End-to-end tests: Tutti's command as a user types it, over shared memory, Open MPI and MPICH. Each test
/// asserts that a job ends, the exit code and the output, and that no process or file remains. No test asserts
/// speed.
///
///     command     the arguments of `tutti`, and the messages for wrong arguments
///     document    the contents of README.md, docs and examples
///     launch      the start of ranks: hosts, cpus, Slurm, torchrun, a JVM that spawns
///     library     cooperation with an installed MPI library
///     failure     jobs that fail, are stopped or killed: messages and leftovers
///     diagnosis   Tutti's reports about a wrong, slow or stopped program
///     load        correct programs of all kinds, under load
///     training    networks of libtorch and DJL
///     dropin      programs for Open MPI's Java bindings and MPJ Express
///
/// Rules: a test extends [org.tutti.e2e.job.JobTest], which checks that no process or file remains. A helper
/// class is in the package that uses it. Only three uses cross packages: `command`, `contract` and `training`
/// use `document.Example`, `launch` uses `diagnosis.TraceFile`, and `diagnosis` uses `local.MistakenTest`.
///
/// Tests of other kinds that need all modules:
///
///     contract    runs the contract of tutti-conformance on every engine and number of ranks
///     local       ranks as threads of the test's JVM
///     rules       the source tree: dependencies between packages, sizes, the API, published modules
package org.tutti.e2e;
