package org.tutti.device.gpu;

import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.table.FunctionTable;

/// A vendor's matrix library, if it is available.
///
/// @param table the functions; null if the library is missing or incomplete
/// @param text the location, or the reason why the library is not used
record MatrixApi(@Nullable FunctionTable<MatrixFunction> table, String text) {
    static MatrixApi load(GpuPlatform platform, Function<LibrarySearch, DynamicLibrary> loader) {
        DynamicLibrary library = loader.apply(platform.matrices());
        if (library.symbols() == null) {
            String tried = library.attempts().stream().map(Attempt::toString).collect(Collectors.joining("; "));
            return new MatrixApi(null, "no library for matrices: " + tried);
        }
        String path = String.valueOf(library.path());
        try {
            return new MatrixApi(
                    new FunctionTable<>(path, MatrixFunction.ROWS, platform.kind(), library.symbols()), path);
        } catch (DeviceFault e) {
            return new MatrixApi(null, String.valueOf(e.getMessage()));
        }
    }
}
