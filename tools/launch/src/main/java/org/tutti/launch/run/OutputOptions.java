package org.tutti.launch.run;

import java.io.OutputStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The destination and format of the output of ranks.
///
/// @param tagged whether lines begin with `[rank]` even if the destination is not a terminal
/// @param directory where the output of each rank is also stored; null for none
/// @param out the destination of the ranks' stdout, in whole lines; null for the stdout of this process
/// @param err the same for stderr
/// @param quiet whether the launcher prints no messages; with `directory`, the output of ranks is then only
///     stored
/// @param color whether the tags of ranks and the message of a failure are colored
public record OutputOptions(
        boolean tagged,
        @Nullable Path directory,
        @Nullable OutputStream out,
        @Nullable OutputStream err,
        boolean quiet,
        ColorChoice color) {}
