package org.tutti.launch.run;

import java.io.OutputStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Where the output of ranks goes, and how.
///
/// @param tagged whether lines begin with `[rank]` also without a terminal
/// @param directory where each rank's output is kept too; null for nowhere
/// @param out where the ranks' stdout goes, whole lines at a time; null for this process's own
/// @param err the same for their stderr
/// @param quiet the launcher says nothing; with `directory`, ranks' output goes there alone
public record OutputOptions(
        boolean tagged,
        @Nullable Path directory,
        @Nullable OutputStream out,
        @Nullable OutputStream err,
        boolean quiet) {}
