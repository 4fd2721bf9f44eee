/// The environment of this process: rank, job, launcher, and machine.
///
///     RankEnvironment ──▶ the variables of Tutti's launcher
///           └─────▶ LauncherDetection ──▶ any other launcher: LauncherVariables, SlurmStep
///     NativeVariables, OpenMpiVariables, TorchVariables: variables for other software
///
/// Rules: in the job's module and in the engines, only this package reads environment variables, except for one
/// variable that ApiNames reads. The package depends on no other package of the job.
@NullMarked
package org.tutti.job.environment;

import org.jspecify.annotations.NullMarked;
