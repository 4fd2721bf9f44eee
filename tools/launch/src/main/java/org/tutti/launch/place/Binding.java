package org.tutti.launch.place;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// How ranks are to be bound to cpus, in mpirun's words; what is null was not said.
///
/// @param to `core`, `hwthread`, `socket`, `numa` or `none`
/// @param map in which order ranks are dealt out: `slot`, `core`, `hwthread`, `socket`, `numa` or `node`,
///     with `:PE=N`
/// @param cpuSet the only cpus that ranks shall use, `0,2-3`
/// @param rankfile says for each rank where it runs
/// @param sharing whether ranks may be bound to the same core
/// @param report whether to say where each rank is bound
public record Binding(
        @Nullable String to,
        @Nullable String map,
        @Nullable String cpuSet,
        @Nullable Path rankfile,
        boolean sharing,
        boolean report) {
    /// Ranks run where the system lets them.
    public static final Binding NONE = new Binding(null, null, null, null, false, false);
}
