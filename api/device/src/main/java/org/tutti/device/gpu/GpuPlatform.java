package org.tutti.device.gpu;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.LibrarySearch;

/// A vendor's names, numbers and sentences: all in which CUDA and HIP differ.
public abstract class GpuPlatform {
    /// Numbers of attributes of a device.
    ///
    /// @param major of the architecture's version
    /// @param managed whether the host may reach managed memory while the device works
    public record Attributes(
            int threadsPerBlock, int multiprocessors, int sharedBytes, int major, int minor, int managed) {}

    /// What a compiler is asked for.
    ///
    /// @param option for the architecture; null for the current device's
    /// @param portable whether the result is code that the driver compiles once more
    public record Target(@Nullable String option, boolean portable) {}

    private final Map<Integer, String> driverErrors;
    private final Map<Integer, String> compilerErrors;
    private final Map<Integer, String> matrixErrors;

    /// @param driverErrors lines of a number and a name
    /// @param compilerErrors likewise
    /// @param matrixErrors likewise
    protected GpuPlatform(String driverErrors, String compilerErrors, String matrixErrors) {
        this.driverErrors = table(driverErrors);
        this.compilerErrors = table(compilerErrors);
        this.matrixErrors = table(matrixErrors);
    }

    private static Map<Integer, String> table(String lines) {
        return lines.lines()
                .map(line -> line.strip().split(" "))
                .collect(Collectors.toMap(line -> Integer.valueOf(line[0]), line -> line[1]));
    }

    /// What stands before the colon in names of devices.
    protected abstract String kind();

    /// Its place among the backends.
    protected abstract int order();

    /// What shows, before a library is loaded, that there is no device; null when there may be one.
    protected @Nullable Attempt withoutLibrary() {
        return null;
    }

    protected abstract LibrarySearch driver();

    protected abstract LibrarySearch compiler();

    /// The beginning of the names of libraries that the compiler opens without a directory; null if there
    /// are none.
    protected abstract @Nullable String compilerParts();

    /// The library for matrices.
    protected abstract LibrarySearch matrices();

    /// Null for what this driver has not.
    protected abstract @Nullable String name(DriverFunction function);

    protected abstract String name(MatrixFunction function);

    /// Null for what this compiler has not.
    protected abstract @Nullable String name(CompilerFunction function);

    /// What the compiler is called, without its version.
    protected abstract String compilerName();

    /// The driver with the version that it gives as a number.
    protected abstract String driverName(int version);

    protected abstract Attributes attributes();

    /// What [DriverFunction#MAKE_CURRENT] takes: the context, or the device's number.
    protected abstract long current(long context, int device);

    /// Flags of [DriverFunction#IPC_OPEN].
    protected abstract int ipcFlags();

    /// What tells the library for matrices not to transpose one.
    protected abstract int asItIs();

    /// The name of an architecture.
    protected abstract String architecture(int major, int minor, String pciId);

    /// What to compile for.
    ///
    /// @param known the architectures that the compiler knows, as numbers; none if it does not say
    protected abstract Target target(String architecture, List<Integer> known);

    /// What to do when there is no driver.
    protected abstract String absent();

    /// What to do about an error of the driver; null when its name says all.
    ///
    /// @param driver as [#driverName] has it, for errors that depend on its version
    protected abstract @Nullable String advice(int code, String driver);

    /// `CUDA_ERROR_OUT_OF_MEMORY (2)`.
    final String driverError(int code) {
        return error(driverErrors, code);
    }

    /// `NVRTC_ERROR_COMPILATION (6)`.
    final String compilerError(int code) {
        return error(compilerErrors, code);
    }

    /// `CUBLAS_STATUS_ALLOC_FAILED (3)`.
    final String matrixError(int code) {
        return error(matrixErrors, code);
    }

    private static String error(Map<Integer, String> names, int code) {
        String name = names.get(code);
        return name == null ? "error " + code : name + " (" + code + ")";
    }
}
