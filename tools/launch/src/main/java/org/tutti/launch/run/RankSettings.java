package org.tutti.launch.run;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What the process of each rank is given besides its command line.
///
/// @param env what ranks find in their environment besides the launcher's own
/// @param wdir their working directory; null for the launcher's
/// @param debugging the ranks that a debugger may attach to; null for none
public record RankSettings(
        Map<String, String> env,
        @Nullable Path wdir,
        @Nullable Debugging debugging) {

    /// The same with more variables.
    RankSettings with(Map<String, String> variables) {
        Map<String, String> all = new TreeMap<>(env);
        all.putAll(variables);
        return new RankSettings(all, wdir, debugging);
    }

    /// For a rank that a debugger may attach to; null for the others.
    @Nullable
    public Debugging debuggingOf(int rank) {
        return debugging != null && debugging.ranks().get(rank) ? debugging : null;
    }
}
