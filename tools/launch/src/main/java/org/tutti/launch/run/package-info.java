/// The request of `tutti run`: a [Run], immutable and complete, built by a [RunBuilder]. Contradictory and
/// impossible requests are rejected here, before any process is started.
///
///     Run ── programs, EngineChoice, Placement (Nodes), RankSettings (Debugging),
///            OutputOptions, JobLimits, ProfileOptions
///
/// [Torchrun] contains the options of torchrun as written by the user; [Nodes] contains the values that are
/// derived from these options.
@NullMarked
package org.tutti.launch.run;

import org.jspecify.annotations.NullMarked;
