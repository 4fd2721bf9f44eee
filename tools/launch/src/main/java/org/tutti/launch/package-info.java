/// The launcher behind `tutti run`: what to start, how, and what became of it. Its rooms, each of which
/// knows only rooms below it:
///
///     job         a job, from its start to its last process: over shared memory or a library; how it ends
///      ├─ watch       what ranks do and wait for: stalls, deadlocks, stacks, reports
///      ├─ library     launchers of MPI libraries (mpirun, hydra, srun), and the shell around each of their ranks
///      │   └─ rank        a rank's JVM: its command line, its entry class, its caches
///      ├─ output      lines of ranks: relayed whole, tagged, kept in files
///      ├─ profile, trace ──▶ calls      what is told of the calls that ranks write down
///      └─ run         what was asked for, checked; every room above reads it
///          ├─ place       hosts, cpus and binding: where each rank runs
///          ├─ program     from a source file, a jar or a class to what a JVM can run
///          ├─ machine     what the system tells of this machine
///          └─ text        JSON, and names that were probably meant
///
/// This room has what all of them say: [UsageException], when something cannot be started, and [JobText],
/// ranks and times as a person would say them.
///
/// Rules: the thread that starts ranks lives until the last of them has ended, because the parent-death
/// signal follows it. What is said comes last, on stderr. Start-up time counts here: no logging, no regular
/// expressions, no hashes from providers, no lambdas on the path of a run that finds everything in its
/// cache.
///
/// Not here yet: restarts over several nodes started by hand; stacks and flight records of ranks on other
/// hosts, of which what they wait for and what they do is told.
@NullMarked
package org.tutti.launch;

import org.jspecify.annotations.NullMarked;
