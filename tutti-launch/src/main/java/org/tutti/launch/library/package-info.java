/// MPI libraries of this machine, and the launchers that start ranks over them.
///
///     NativeLaunchers ──finds──▶ NativeLauncher ◀── OpenMpiLauncher, HydraLauncher, SlurmLauncher
///                                      │
///                                      └── RankShell: the shell around each rank ──▶ RankExits: how ranks ended
///
/// A launcher translates what a run asks for into its own options, or says that it cannot. [OpenMpiSession]
/// takes away what an mpirun that was killed leaves.
@NullMarked
package org.tutti.launch.library;

import org.jspecify.annotations.NullMarked;
