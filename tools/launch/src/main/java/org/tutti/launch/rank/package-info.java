/// A rank's JVM: how it is started, and what it does before the program.
///
///     RankCommand: its command line ──▶ RankMain: its entry class ──▶ the user's main
///         └── AotCache ──trains with──▶ AotTraining
///
/// [JvmOptions] are tried before ranks are started; [InheritedEnvironment] is what an outer job must not
/// tell them. A rank dies with its launcher: at once where it is the launcher's child, else by
/// [ParentWatch].
@NullMarked
package org.tutti.launch.rank;

import org.jspecify.annotations.NullMarked;
