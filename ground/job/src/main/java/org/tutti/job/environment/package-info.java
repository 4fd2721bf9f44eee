/// What the environment says of this process: its rank and its job, the launcher that has started it, and its machine.
///
///     RankEnvironment ──▶ Tutti's launcher: its variables
///           └─────▶ LauncherDetection ──▶ any other launcher: LauncherVariables, SlurmStep
///     NativeVariables, OpenMpiVariables, TorchVariables: what other software reads there
///
/// Rules: with one variable of ApiNames the only reader of the environment in Tutti; knows no other package of the job.
@NullMarked
package org.tutti.job.environment;

import org.jspecify.annotations.NullMarked;
