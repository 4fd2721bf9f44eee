/// Runs the `tutti` command as a child process, and inspects the processes and files of the machine.
///
///     Command ──start──▶ Child ──await──▶ ProcessOutcome  Way: shm, Open MPI or MPICH, as options
///        └── runs in a CommandEnvironment: Sandbox: a private /tmp and /dev/shm, if this user may mount one
///                                          TwoHosts: the first of two machines, simulated by namespaces
///                                          Slurm: the same, with Slurm on the two hosts
///     AotCaches: created once, like the caches that ./tutti creates for users
///     Processes: all descendants of a Command, by a mark in the environment, and the state in /proc
///     JobTest: the base class of such tests; checks for remaining processes and files
///
/// Rules: every limit is a HangLimit, which is generous, and longer on a busy machine. It only detects a hang:
/// no test measures speed. Signals are sent to pids of processes that a Command has started, never to a name.
package org.tutti.e2e.job;
