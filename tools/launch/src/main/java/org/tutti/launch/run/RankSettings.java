package org.tutti.launch.run;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Settings of the process of each rank besides the command line.
///
/// @param env additional environment variables of the ranks
/// @param wdir the working directory of the ranks; null for the launcher's
/// @param debugging the ranks to which a debugger may attach; null for none
public record RankSettings(
        Map<String, String> env,
        @Nullable Path wdir,
        @Nullable Debugging debugging) {

    /// Returns these settings with more variables.
    RankSettings with(Map<String, String> variables) {
        Map<String, String> all = new TreeMap<>(env);
        all.putAll(variables);
        return new RankSettings(all, wdir, debugging);
    }

    /// Returns the debugger settings if a debugger may attach to the rank, otherwise null.
    @Nullable
    public Debugging debuggingOf(int rank) {
        return debugging != null && debugging.ranks().get(rank) ? debugging : null;
    }
}
