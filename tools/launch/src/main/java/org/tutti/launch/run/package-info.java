/// What `tutti run` is asked for: a [Run], which is made by a [RunBuilder] and complete once it is there.
/// What contradicts itself, or cannot be, is found here, before anything is started.
///
///     Run ── programs, EngineChoice, Placement (Nodes), RankSettings (Debugging),
///            OutputOptions, JobLimits, ProfileOptions
///
/// [Torchrun] holds the words of torchrun as the user wrote them; [Nodes] is what they mean.
@NullMarked
package org.tutti.launch.run;

import org.jspecify.annotations.NullMarked;
