package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.table.FunctionTable;

/// The matrix products of a device, computed by [MatrixApi]. The library's handle is created for the first
/// product. Only one thread at a time uses it, since a handle has one stream.
///
/// The libraries use column-major order. The row-major product `c = a · b` equals the column-major product `cᵀ
/// = bᵀ · aᵀ` in the same memory, so the operands are swapped and no matrix is transposed.
final class GpuMatrices {
    /// The addresses of the factors 1 and 0, in each floating-point type, which the library reads during the
    /// call.
    private static final long FLOATS =
            Arena.global().allocateFrom(JAVA_FLOAT, 1, 0).address();
    private static final long DOUBLES =
            Arena.global().allocateFrom(JAVA_DOUBLE, 1, 0).address();

    private final GpuDriver driver;
    private final GpuPlatform platform;
    private final Supplier<MatrixApi> library;
    private @Nullable FunctionTable<MatrixFunction> table;
    private @Nullable String text;
    private long handle;
    private long stream;

    GpuMatrices(GpuDriver driver, GpuPlatform platform, Supplier<MatrixApi> library) {
        this.driver = driver;
        this.platform = platform;
        this.library = library;
    }

    /// Returns the library that [#table] uses, or the reason why none is available.
    synchronized String text() {
        if (text != null) return text;
        MatrixApi api = library.get();
        if (api.table() == null) return text = api.text();
        driver.makeCurrent();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            int code = api.table().call(MatrixFunction.CREATE, out.address());
            if (code != 0) {
                return text =
                        api.text() + ": " + api.table().name(MatrixFunction.CREATE) + ": " + platform.matrixError(code);
            }
            table = api.table();
            handle = out.get(JAVA_LONG, 0);
            stream = 0; // the default of a new handle
            return text = api.text();
        }
    }

    synchronized boolean isThere() {
        text();
        return table != null;
    }

    synchronized void multiply(
            long onStream, boolean isDouble, int rows, int columns, int inner, long a, long b, long c) {
        if (!isThere() || table == null) throw new DeviceFault(Reason.UNSUPPORTED, text());
        driver.makeCurrent();
        if (stream != onStream) {
            int code = table.call(MatrixFunction.SET_STREAM, handle, onStream);
            if (code != 0) throw fault(MatrixFunction.SET_STREAM, code, "");
            stream = onStream;
        }
        MatrixFunction function = isDouble ? MatrixFunction.MULTIPLY_DOUBLES : MatrixFunction.MULTIPLY_FLOATS;
        int as = platform.number(VendorNumber.NOT_TRANSPOSED);
        long one = isDouble ? DOUBLES : FLOATS, zero = one + (isDouble ? Double.BYTES : Float.BYTES);
        int code =
                table.call(function, handle, as, as, columns, rows, inner, one, b, columns, a, inner, zero, c, columns);
        if (code != 0) throw fault(function, code, "rows=" + rows + ", columns=" + columns + ", inner=" + inner);
    }

    private DeviceFault fault(MatrixFunction function, int code, String arguments) {
        String call = table == null ? function.name() : table.name(function);
        return new DeviceFault(Reason.FAILED, call + "(" + arguments + "): " + platform.matrixError(code));
    }

    synchronized void close() {
        if (table == null) return;
        driver.makeCurrent();
        int code = table.call(MatrixFunction.DESTROY, handle);
        DeviceFault fault = code == 0 ? null : fault(MatrixFunction.DESTROY, code, "");
        table = null;
        text = "the device was closed";
        if (fault != null) throw fault;
    }
}
