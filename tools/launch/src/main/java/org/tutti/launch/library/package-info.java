/// MPI libraries of this machine, and the launchers that start ranks over them.
///
///     NativeLaunchers ──finds──▶ NativeLauncher ◀── OpenMpiLauncher, HydraLauncher, SlurmLauncher
///                                      │
///                                      └── RankShell: the shell around each rank ──▶ RankExits: how ranks ended
///
/// A launcher translates what a run asks for into its own options, or says that it cannot. [OpenMpiSession]
/// removes the files that a killed mpirun leaves, and [SharedFiles] those that MPICH leaves when a rank ends
/// during the
/// start.
@NullMarked
package org.tutti.launch.library;

import org.jspecify.annotations.NullMarked;
