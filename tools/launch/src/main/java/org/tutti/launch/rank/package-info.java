/// The JVM of a rank: the start, and the steps before the program.
///
///     RankCommand: the command line ──▶ RankMain: the entry class ──▶ the user's main
///         └── AotCache ──trains with──▶ AotTraining
///
/// [JvmOptions] checks options before ranks are started. [InheritedEnvironment] removes the variables of an
/// outer job. A rank terminates when the launcher does: immediately if the rank is a child of the launcher,
/// otherwise through [ParentWatch].
@NullMarked
package org.tutti.launch.rank;

import org.jspecify.annotations.NullMarked;
