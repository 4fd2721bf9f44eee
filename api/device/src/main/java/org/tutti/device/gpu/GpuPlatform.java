package org.tutti.device.gpu;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.table.ErrorTable;
import org.tutti.device.table.HeaderNumbers;

/// The differences between CUDA and HIP. Names and numbers are in the tables, in a column that has the name of the
/// kind; libraries, architectures and sentences are in the subclasses.
public abstract class GpuPlatform {
    /// What a compiler is asked for.
    ///
    /// @param option for the architecture; null for the current device's
    /// @param portable whether the result is code that the driver compiles once more
    public record Target(@Nullable String option, boolean portable) {}

    /// Read at the first error.
    private static final class Errors {
        static final ErrorTable DRIVER = ErrorTable.read(GpuPlatform.class, "driver-errors.tsv"),
                COMPILER = ErrorTable.read(GpuPlatform.class, "compiler-errors.tsv"),
                MATRICES = ErrorTable.read(GpuPlatform.class, "matrix-errors.tsv");
    }

    private final String kind;
    private @Nullable HeaderNumbers<VendorNumber> numbers;

    /// @param kind the part of a device's name before the colon, and the name of the vendor's column in the tables
    protected GpuPlatform(String kind) {
        this.kind = kind;
    }

    final String kind() {
        return kind;
    }

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

    /// Returns the name of a function; null if this driver does not have it.
    final @Nullable String name(DriverFunction function) {
        return DriverFunction.ROWS.name(function, kind);
    }

    /// Returns a number of the vendor's headers.
    final synchronized int number(VendorNumber number) {
        if (numbers == null) {
            numbers = HeaderNumbers.read(VendorNumber.class, VendorNumber.class, "numbers.tsv", kind);
        }
        return numbers.of(number);
    }

    /// What the compiler is called, without its version.
    protected abstract String compilerName();

    /// The driver with the version that it gives as a number.
    protected abstract String driverName(int version);

    /// What [DriverFunction#MAKE_CURRENT] takes: the context, or the device's number.
    protected abstract long current(long context, int device);

    /// The name of an architecture.
    protected abstract String architecture(int major, int minor, String pciId);

    /// What to compile for.
    ///
    /// @param known the architectures that the compiler knows, as numbers; none if it does not say
    protected abstract Target target(String architecture, List<Integer> known);

    /// What to do when there is no driver.
    protected abstract String absent();

    /// What to do about an error of the driver, for sentences that only this vendor has; null when there is none.
    ///
    /// @param driver as [#driverName] has it, for errors that depend on its version
    protected abstract @Nullable String advice(int code, String driver);

    /// `CUDA_ERROR_OUT_OF_MEMORY (2)`.
    final String driverError(int code) {
        return Errors.DRIVER.text(code, kind);
    }

    /// Returns the advice on an error of the driver that both vendors have; null when there is none.
    static @Nullable String advice(int code) {
        return Errors.DRIVER.advice(code);
    }

    /// Returns the reason of an error of the driver.
    static Reason reason(int code) {
        return Errors.DRIVER.reason(code);
    }

    /// `NVRTC_ERROR_COMPILATION (6)`.
    final String compilerError(int code) {
        return Errors.COMPILER.text(code, kind);
    }

    /// `CUBLAS_STATUS_ALLOC_FAILED (3)`.
    final String matrixError(int code) {
        return Errors.MATRICES.text(code, kind);
    }
}
