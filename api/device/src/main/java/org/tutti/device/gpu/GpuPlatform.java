package org.tutti.device.gpu;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.table.ErrorTable;
import org.tutti.device.table.HeaderNumbers;

/// The differences between CUDA and HIP. Names and numbers are stored in tables, in a column named after the
/// kind; subclasses define libraries, architectures and messages.
public abstract class GpuPlatform {
    /// The target of a compilation.
    ///
    /// @param option the architecture option; null for the current device's architecture
    /// @param portable whether the driver must compile the result for the device
    public record Target(@Nullable String option, boolean portable) {}

    /// The tables of errors, which are loaded at the first error.
    private static final class Errors {
        static final ErrorTable DRIVER = ErrorTable.read(GpuPlatform.class, "driver-errors.tsv"),
                COMPILER = ErrorTable.read(GpuPlatform.class, "compiler-errors.tsv"),
                MATRICES = ErrorTable.read(GpuPlatform.class, "matrix-errors.tsv");
    }

    private final String kind;
    private @Nullable HeaderNumbers<VendorNumber> numbers;

    /// @param kind the prefix of a device name before the colon, and the name of the vendor's column in the
    ///     tables
    protected GpuPlatform(String kind) {
        this.kind = kind;
    }

    final String kind() {
        return kind;
    }

    /// Returns the position of the backend in the search order.
    protected abstract int order();

    /// Returns evidence that no device exists, without loading a library; null if a device may exist.
    protected @Nullable Attempt withoutLibrary() {
        return null;
    }

    protected abstract LibrarySearch driver();

    protected abstract LibrarySearch compiler();

    /// Returns the name prefix of the libraries that the compiler opens without a directory; null if it opens
    /// no such libraries.
    protected abstract @Nullable String compilerParts();

    /// Returns the search parameters of the matrix library.
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

    /// Returns the name of the compiler, without a version.
    protected abstract String compilerName();

    /// Returns the name of the driver with the version, which is passed as a number.
    protected abstract String driverName(int version);

    /// Returns the argument for [DriverFunction#MAKE_CURRENT]: the context, or the device number.
    protected abstract long current(long context, int device);

    /// Returns the name of an architecture.
    protected abstract String architecture(int major, int minor, String pciId);

    /// Returns the compilation target.
    ///
    /// @param known the numbers of the architectures that the compiler supports; empty if these are not known
    protected abstract Target target(String architecture, List<Integer> known);

    /// Returns the advice that is printed if the driver is missing.
    protected abstract String absent();

    /// Returns vendor-specific advice on a driver error; null if none exists.
    ///
    /// @param driver the result of [#driverName], for errors that depend on the version
    protected abstract @Nullable String advice(int code, String driver);

    /// Returns the name of an error, for example `CUDA_ERROR_OUT_OF_MEMORY (2)`.
    final String driverError(int code) {
        return Errors.DRIVER.text(code, kind);
    }

    /// Returns the advice on a driver error that the two vendors have in common; null if none exists.
    static @Nullable String advice(int code) {
        return Errors.DRIVER.advice(code);
    }

    /// Returns the reason for a driver error.
    static Reason reason(int code) {
        return Errors.DRIVER.reason(code);
    }

    /// Returns the name of an error, for example `NVRTC_ERROR_COMPILATION (6)`.
    final String compilerError(int code) {
        return Errors.COMPILER.text(code, kind);
    }

    /// Returns the name of an error, for example `CUBLAS_STATUS_ALLOC_FAILED (3)`.
    final String matrixError(int code) {
        return Errors.MATRICES.text(code, kind);
    }
}
