package org.tutti.launch.run;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// How the recorded calls of ranks are evaluated.
///
/// @param profile whether to print at the end where time was spent
/// @param trace the file for a trace of all calls; null for none
public record ProfileOptions(boolean profile, @Nullable Path trace) {}
