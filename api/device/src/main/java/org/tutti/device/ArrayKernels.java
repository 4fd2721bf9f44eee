package org.tutti.device;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.device.ArraySource.Part;
import org.tutti.device.ElementwiseOp.Binary;
import org.tutti.device.ElementwiseOp.Unary;
import org.tutti.device.spi.MatrixLibrary;
import org.tutti.mpi.Datatype;

/// Ready-made kernels for arrays of `FLOAT`, `DOUBLE`, `INT` and `LONG`, comparable to CuPy's array operations.
/// Results are written to buffers that the caller passes. On a device other than the host, a call returns
/// immediately, unless it returns a number. All backends return the same results, except for the last digits of
/// floating-point numbers: the order of a sum and the rounding of a multiplication before an addition differ.
///
///     ArrayKernels arrays = device.arrays();
///     arrays.normal(x, 42, 0);
///     arrays.multiply(x, x, squares);
///     double sum = arrays.sum(squares);
public final class ArrayKernels {
    private static final int THREADS = 256, TILE = 16, MOST_BLOCKS = 1024, MOST_PARTS = 64;
    static final List<Datatype> ALL = List.of(Datatype.FLOAT, Datatype.DOUBLE, Datatype.INT, Datatype.LONG);
    private static final List<Datatype> FLOATING = List.of(Datatype.FLOAT, Datatype.DOUBLE);

    private final Device device;
    private final Map<String, Kernel> kernels = new HashMap<>();

    /// Buffers for the partial results of reductions; the key is the type.
    private final Map<Datatype, DeviceBuffer> parts = new HashMap<>();

    ArrayKernels(Device device) {
        this.device = device;
    }

    // ---- elementwise

    /// Computes `y[i] += a * x[i]`. `y` may be the same buffer as `x`; a partial overlap is not permitted.
    public void axpy(double a, DeviceBuffer x, DeviceBuffer y) {
        check("axpy", ALL, x, y);
        checkSameOrApart("axpy", "y", y, x);
        if (onHost()) host(() -> HostArrays.axpy(a, x, y));
        else launch(Part.ELEMENTS, "axpy", x.type(), x.count(), scalar(x, a), x, y);
    }

    /// Computes `x[i] *= a`.
    public void scale(double a, DeviceBuffer x) {
        check("scale", ALL, x);
        if (onHost()) host(() -> HostArrays.scale(a, x));
        else launch(Part.ELEMENTS, "scale", x.type(), x.count(), scalar(x, a), x);
    }

    /// Computes `out[i] = first + i * step`.
    public void range(double first, double step, DeviceBuffer out) {
        check("range", ALL, out);
        if (onHost()) host(() -> HostArrays.range(first, step, out));
        else launch(Part.ELEMENTS, "range", out.type(), out.count(), scalar(out, first), scalar(out, step), out);
    }

    public void add(DeviceBuffer x, DeviceBuffer y, DeviceBuffer out) {
        apply(Binary.ADD, x, y, out);
    }

    public void subtract(DeviceBuffer x, DeviceBuffer y, DeviceBuffer out) {
        apply(Binary.SUBTRACT, x, y, out);
    }

    public void multiply(DeviceBuffer x, DeviceBuffer y, DeviceBuffer out) {
        apply(Binary.MULTIPLY, x, y, out);
    }

    public void divide(DeviceBuffer x, DeviceBuffer y, DeviceBuffer out) {
        apply(Binary.DIVIDE, x, y, out);
    }

    /// Computes `out[i] = op(x[i], y[i])`. `out` may be the same buffer as `x` or `y`; a partial overlap is not
    /// permitted. The result of an integer division by 0 is unspecified.
    public void apply(Binary op, DeviceBuffer x, DeviceBuffer y, DeviceBuffer out) {
        check(op.name(), ALL, x, y, out);
        checkSameOrApart(op.name(), "out", out, x, y);
        if (onHost()) host(() -> HostArrays.apply(op, x, y, out));
        else launch(Part.ELEMENTS, op.kernel(), x.type(), x.count(), x, y, out);
    }

    /// Computes `out[i] = op(x[i])`. `out` may be the same buffer as `x`; a partial overlap is not permitted.
    public void apply(Unary op, DeviceBuffer x, DeviceBuffer out) {
        check(op.name(), op.forIntegers() ? ALL : FLOATING, x, out);
        checkSameOrApart(op.name(), "out", out, x);
        if (onHost()) host(() -> HostArrays.apply(op, x, out));
        else launch(Part.ELEMENTS, op.kernel(), x.type(), x.count(), x, out);
    }

    // ---- reductions

    /// Returns the sum of all elements, computed in the element type, or for floats on the host in `double`; 0
    /// for an empty buffer.
    public double sum(DeviceBuffer x) {
        return reduced("sum", x);
    }

    /// Returns the smallest element; NaN if any element is NaN.
    ///
    /// @throws DeviceException if the buffer is empty
    public double min(DeviceBuffer x) {
        return reduced("min", x);
    }

    /// Returns the largest element; NaN if any element is NaN.
    ///
    /// @throws DeviceException if the buffer is empty
    public double max(DeviceBuffer x) {
        return reduced("max", x);
    }

    private double reduced(String op, DeviceBuffer x) {
        checkOperand(op, x);
        DeviceBuffer out = device.allocate(x.type(), 1);
        double value;
        try {
            reduce(op, x, out);
            value = switch (x.type().toString()) {
                case "FLOAT" -> out.toFloats()[0];
                case "DOUBLE" -> out.toDoubles()[0];
                case "INT" -> out.toInts()[0];
                default -> out.toLongs()[0];
            };
        } catch (RuntimeException e) {
            out.freeAfter(e);
            throw e;
        }
        out.free();
        return value;
    }

    /// Like [#sum(DeviceBuffer)], but writes the sum to the single element of `out`, so that MPI calls can send
    /// the sum from the device.
    public void sum(DeviceBuffer x, DeviceBuffer out) {
        reduce("sum", x, out);
    }

    private void checkOperand(String op, DeviceBuffer x) {
        check(op, ALL, x);
        if (x.count() == 0 && !op.equals("sum")) throw device.error(op + ": the buffer has no elements");
    }

    private void reduce(String op, DeviceBuffer x, DeviceBuffer out) {
        checkOperand(op, x);
        check(op, ALL, out);
        if (out.count() != 1 || out.type() != x.type())
            throw device.error(op + ": out is " + out + ", not one " + x.type());
        if (x.count() == 0) {
            out.clear();
            return;
        }
        if (onHost()) {
            host(() -> HostArrays.reduce(op, x, out));
            return;
        }
        int blocks = (int) Math.min(MOST_PARTS, Math.ceilDiv(x.count(), THREADS));
        Kernel kernel = kernel(Part.REDUCTIONS, op, x.type());
        synchronized (parts) {
            DeviceBuffer part = parts.computeIfAbsent(x.type(), t -> device.allocate(t, MOST_PARTS));
            kernel.launch(Dim.of(blocks), Dim.of(THREADS), x.count(), x, part);
            kernel.launch(Dim.of(1), Dim.of(THREADS), (long) blocks, part, out);
        }
    }

    // ---- matrices, by rows

    /// Writes the transpose of `x` (`rows` × `columns`) to `out` (`columns` × `rows`). The buffers must not
    /// overlap.
    public void transpose(int rows, int columns, DeviceBuffer x, DeviceBuffer out) {
        check("transpose", ALL, x, out);
        matrix("transpose", x, rows, columns);
        checkApart("transpose", "out", out, x);
        if (x.count() == 0) return;
        if (onHost()) {
            host(() -> HostArrays.transpose(rows, columns, x, out));
            return;
        }
        kernel(Part.MATRICES, "transpose", x.type())
                .launch(tiles(rows, columns), Dim.of(TILE, TILE), rows, columns, x, out);
    }

    /// Computes `c = a · b` for matrices of `rows` × `inner` and `inner` × `columns`. `c` must not overlap `a`
    /// or `b`. Floating-point matrices are multiplied by the vendor's library, cuBLAS or hipBLAS, if it is
    /// available. All other matrices are multiplied by a kernel of this class, or on the host by Java code. See
    /// [#products].
    public void matmul(int rows, int columns, int inner, DeviceBuffer a, DeviceBuffer b, DeviceBuffer c) {
        check("matmul", ALL, a);
        matrix("matmul", a, rows, inner);
        matrix("matmul", b, inner, columns);
        matrix("matmul", c, rows, columns);
        if (b.type() != a.type() || c.type() != a.type())
            throw device.error("matmul: a is " + a + ", b " + b + ", c " + c);
        checkApart("matmul", "c", c, a, b);
        if (c.count() == 0) return;
        if (onHost()) {
            host(() -> HostArrays.matmul(rows, columns, inner, a, b, c));
            return;
        }
        if (multiplied(rows, columns, inner, a, b, c)) return;
        kernel(Part.MATRICES, "matmul", a.type())
                .launch(tiles(rows, columns), Dim.of(TILE, TILE), rows, columns, inner, a, b, c);
    }

    /// Returns the grid, with one block per tile.
    private static Dim tiles(int rows, int columns) {
        return Dim.of(Math.toIntExact((long) Math.ceilDiv(columns, TILE) * Math.ceilDiv(rows, TILE)));
    }

    /// Returns the library that [#matmul] uses for `FLOAT` and `DOUBLE`, or the reason why no library is used.
    /// `-Dtutti.device.lib.cublas=…` and `-Dtutti.device.lib.hipblas=…` set the library's path; the path of a
    /// file that does not exist disables the library.
    public String products() {
        return device.locked(d -> {
            if (d instanceof MatrixLibrary library) return library.products();
            return d.isHostMemory()
                    ? "Java"
                    : "a kernel; there is no library for " + d.attributes().kind();
        });
    }

    /// Multiplies with the vendor's library. Returns false, without a result, if there is no such library, if
    /// `inner` is 0, or if the elements are integers.
    private boolean multiplied(int rows, int columns, int inner, DeviceBuffer a, DeviceBuffer b, DeviceBuffer c) {
        if (inner == 0 || !FLOATING.contains(c.type())) return false;
        return device.locked(d -> {
            if (!(d instanceof MatrixLibrary library) || !library.hasProducts()) return false;
            DeviceStream stream = device.stream();
            long x = a.usable(), y = b.usable(), to = c.usable();
            device.ordered(a.memory(), stream, d);
            device.ordered(b.memory(), stream, d);
            long handle = device.ordered(c.memory(), stream, d);
            library.multiply(handle, c.type() == Datatype.DOUBLE, rows, columns, inner, x, y, to);
            return true;
        });
    }

    private void matrix(String operation, DeviceBuffer x, int rows, int columns) {
        if (rows < 0 || columns < 0 || x.count() != (long) rows * columns) {
            throw device.error(operation + ": " + rows + " × " + columns + " does not match a buffer of " + x.count()
                    + " elements");
        }
    }

    // ---- random numbers

    /// Writes uniform random numbers from 0 (inclusive) to 1 (exclusive): the part of the sequence of `seed`
    /// that starts at index `first`. Ranks that each generate one part therefore obtain the same sequence,
    /// regardless of the number of ranks and the device.
    public void uniform(DeviceBuffer out, long seed, long first) {
        check("uniform", FLOATING, out);
        if (onHost()) host(() -> HostArrays.uniform(out, seed, first));
        else launch(Part.RANDOM, "uniform", out.type(), out.count(), seed, first, out);
    }

    /// Writes random numbers of the standard normal distribution; the parameters are as in [#uniform].
    public void normal(DeviceBuffer out, long seed, long first) {
        check("normal", FLOATING, out);
        if (onHost()) host(() -> HostArrays.normal(out, seed, first));
        else launch(Part.RANDOM, "normal", out.type(), out.count(), seed, first, out);
    }

    // ---- implementation

    private boolean onHost() {
        return device.isHostMemory();
    }

    private void host(Runnable work) {
        device.locked(d -> {
            work.run();
            return null;
        });
    }

    private static Object scalar(DeviceBuffer of, double value) {
        Datatype type = of.type();
        if (type == Datatype.FLOAT) return (float) value;
        if (type == Datatype.DOUBLE) return value;
        if (type == Datatype.INT) return (int) value;
        return (long) value;
    }

    private void launch(Part part, String name, Datatype type, long count, Object... rest) {
        if (count == 0) return;
        Object[] arguments = new Object[rest.length + 1];
        arguments[0] = count;
        System.arraycopy(rest, 0, arguments, 1, rest.length);
        Dim grid = Dim.of((int) Math.min(MOST_BLOCKS, Math.ceilDiv(count, THREADS)));
        kernel(part, name, type).launch(grid, Dim.of(THREADS), arguments);
    }

    private synchronized Kernel kernel(Part part, String name, Datatype type) {
        Kernel known = kernels.get(name + type);
        if (known != null) return known;
        Kernel made = device.kernel(ArraySource.PREFIX + name, ArraySource.of(part, type));
        kernels.put(name + type, made);
        return made;
    }

    private void check(String operation, List<Datatype> types, @Nullable DeviceBuffer... buffers) {
        DeviceBuffer first = buffers[0];
        for (DeviceBuffer each : buffers) {
            if (each == null || first == null) throw device.error(operation + ": a buffer is null");
            if (each.owner() != device) throw device.error(operation + ": a buffer is of " + each.device());
            if (!types.contains(each.type())) {
                throw device.error(operation + ": elements of " + each.type() + "; supported: " + types);
            }
            if (each.type() != first.type() || each.count() != first.count()) {
                throw device.error(operation + ": buffers of " + first + " and " + each + " do not match");
            }
        }
    }

    /// Rejects operands that overlap the result partially, because elements would be read after they have been
    /// overwritten.
    private void checkSameOrApart(String operation, String name, DeviceBuffer result, DeviceBuffer... operands) {
        device.locked(d -> {
            for (DeviceBuffer each : operands) {
                if (each.usable() != result.usable() && each.overlaps(result)) {
                    throw overlap(operation, name, result, each, "use the same buffer, or one without common elements");
                }
            }
            return null;
        });
    }

    /// Rejects operands that share an element with the result.
    private void checkApart(String operation, String name, DeviceBuffer result, DeviceBuffer... operands) {
        device.locked(d -> {
            for (DeviceBuffer each : operands) {
                if (each.overlaps(result)) {
                    throw overlap(operation, name, result, each, "use another buffer for " + name);
                }
            }
            return null;
        });
    }

    private DeviceException overlap(
            String operation, String name, DeviceBuffer result, DeviceBuffer operand, String advice) {
        long bytes = operand.usable() - result.usable();
        return device.error(operation + ": " + name + " (" + result + ") overlaps an operand (" + operand
                + ") that begins " + Math.abs(bytes) + " bytes " + (bytes < 0 ? "before" : "after") + " it; " + advice);
    }
}
