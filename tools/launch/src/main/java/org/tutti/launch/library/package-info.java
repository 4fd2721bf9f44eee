/// MPI libraries of this machine, and the launchers that start ranks over them.
///
///     NativeLaunchers ──finds──▶ NativeLauncher ◀── OpenMpiLauncher, HydraLauncher, SlurmLauncher
///                                      │
///                                      └── RankShell: the shell around each rank ──▶ RankExits: exit codes of ranks
///
/// A launcher translates the options of a run into options of the command, or reports that this is not
/// possible. [OpenMpiSession] removes the files of a killed mpirun, and [SharedFiles] the files that
/// MPICH leaves when a rank ends during the start.
@NullMarked
package org.tutti.launch.library;

import org.jspecify.annotations.NullMarked;
