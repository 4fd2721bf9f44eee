/// The launcher that implements `tutti run`. Each package uses only the packages below it:
///
///     job         one job, from start to last process, over shared memory or a library; the outcome
///      ├─ watch       the state of ranks: stalls, deadlocks, stacks, reports
///      ├─ library     launchers of MPI libraries (mpirun, hydra, srun), and the shell around each rank
///      │   └─ rank        the JVM of a rank: command line, entry class, caches
///      ├─ output      lines of ranks: relayed whole, tagged, copied to files
///      ├─ profile, trace ──▶ calls      evaluation of the calls that ranks record
///      └─ run         the checked request; read by every package above
///          ├─ place       hosts, cpus and binding: where each rank runs
///          ├─ program     from a source file, a jar or a class to a program that a JVM can run
///          ├─ machine     properties of this machine
///          └─ text        JSON, shell arguments, and suggestions for misspelled names
///
/// This package contains [UsageException], for a run that cannot be started, and [JobText], which formats ranks
/// and times.
///
/// Rules: the thread that starts ranks lives until the last rank has ended, because the parent-death signal
/// depends on the thread. The final message is the last output, on stderr. Start-up time matters: a fully cached
/// run uses no logging, regular expressions, or hash functions of security providers.
///
/// Not implemented yet: restarts of jobs over several nodes that are started by hand; stacks and complete
/// flight records of ranks on other hosts. Ranks on other hosts report only the current waits or activity, and
/// recent operations.
@NullMarked
package org.tutti.launch;

import org.jspecify.annotations.NullMarked;
