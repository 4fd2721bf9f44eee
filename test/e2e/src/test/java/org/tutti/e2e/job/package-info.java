/// The project's own command as a child process, and a look at what it does to the machine.
///
///     Command ──start──▶ Child ──await──▶ Ended          Way: shm, Open MPI or MPICH, as options
///        └── runs on a Ground: Sandbox: a /tmp and a /dev/shm of its own, where this user may mount one
///                              TwoHosts: the first of two machines, made of namespaces
///                              Slurm: the same, with Slurm on both
///     AotCaches: made once, as ./tutti makes them for users
///     Processes: all that descend from a Command, by a mark in their environment, and what /proc tells about them
///     JobTest: what such tests extend; looks for processes and files that are left
///
/// Rules: a limit in here is a HangLimit, generous, and longer on a busy machine: it only says that something
/// ends; no
/// test is about how fast. Signals go to pids that a Command has started, never to a name.
package org.tutti.e2e.job;
