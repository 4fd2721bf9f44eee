package org.tutti.launch.place;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The requested binding of ranks to cpus, with mpirun's option values; null if not specified.
///
/// @param to `core`, `hwthread`, `socket`, `numa` or `none`
/// @param map the order in which ranks are placed: `slot`, `core`, `hwthread`, `socket`, `numa` or `node`; may
///     end with `:PE=N`
/// @param cpuSet the cpus to which all ranks are restricted, `0,2-3`
/// @param rankfile the file that specifies the cpus of each rank
/// @param sharing whether several ranks may be bound to one core
/// @param report whether to print the binding of each rank
public record Binding(
        @Nullable String to,
        @Nullable String map,
        @Nullable String cpuSet,
        @Nullable Path rankfile,
        boolean sharing,
        boolean report) {
    /// No requested binding: by default, the operating system decides where ranks run.
    public static final Binding NONE = new Binding(null, null, null, null, false, false);
}
