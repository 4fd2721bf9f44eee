/// The environment of this process: rank, job, launcher, and machine.
///
///     RankEnvironment ──▶ the variables of Tutti's launcher
///           └─────▶ LauncherDetection ──▶ any other launcher: LauncherVariables, SlurmStep
///     NativeVariables, OpenMpiVariables, TorchVariables: variables for other software
///
/// Rules: apart from one variable of ApiNames, only this package reads the environment in Tutti. It depends on
/// no other package of the job.
@NullMarked
package org.tutti.job.environment;

import org.jspecify.annotations.NullMarked;
