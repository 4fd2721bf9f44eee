/// MPI libraries of this machine, and the launchers that start ranks with these libraries.
///
///     NativeLaunchers ─selects─▶ NativeLauncher ◀── OpenMpiLauncher, HydraLauncher, SlurmLauncher
///                                      │
///                                      └── RankShell: the shell around each rank ──▶ RankExits: exit codes of ranks
///
/// A launcher translates the options of a run into options of the command, or reports that the command has no
/// such option. [OpenMpiSession] removes the files of a killed mpirun; [SharedFiles] removes files of MPICH
/// that remain if a rank ends while MPICH starts.
@NullMarked
package org.tutti.launch.library;

import org.jspecify.annotations.NullMarked;
