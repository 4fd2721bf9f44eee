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

/// Ready-made kernels for arrays of `FLOAT`, `DOUBLE`, `INT` and `LONG`: what one does with arrays of
/// CuPy. Results go to buffers that the caller has; a call returns at once, except those that return a
/// number. Every backend gives the same results, floating-point numbers but for their last digits: the
/// order of a sum, and what a multiplication before an addition is rounded to, differ.
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

    /// Where sums of parts lie until they are added, by type.
    private final Map<Datatype, DeviceBuffer> parts = new HashMap<>();

    ArrayKernels(Device device) {
        this.device = device;
    }

    // ---- elementwise

    /// `y[i] += a * x[i]`; `y` may be `x`, and may not overlap it otherwise.
    public void axpy(double a, DeviceBuffer x, DeviceBuffer y) {
        check("axpy", ALL, x, y);
        checkSameOrApart("axpy", "y", y, x);
        if (onHost()) host(() -> HostArrays.axpy(a, x, y));
        else launch(Part.ELEMENTS, "axpy", x.type(), x.count(), scalar(x, a), x, y);
    }

    /// `x[i] *= a`.
    public void scale(double a, DeviceBuffer x) {
        check("scale", ALL, x);
        if (onHost()) host(() -> HostArrays.scale(a, x));
        else launch(Part.ELEMENTS, "scale", x.type(), x.count(), scalar(x, a), x);
    }

    /// `out[i] = first + i * step`.
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

    /// `out[i] = op(x[i], y[i])`; `out` may be one of the two, and may not overlap them otherwise. An integer
    /// divided by 0 is any number.
    public void apply(Binary op, DeviceBuffer x, DeviceBuffer y, DeviceBuffer out) {
        check(op.name(), ALL, x, y, out);
        checkSameOrApart(op.name(), "out", out, x, y);
        if (onHost()) host(() -> HostArrays.apply(op, x, y, out));
        else launch(Part.ELEMENTS, op.kernel(), x.type(), x.count(), x, y, out);
    }

    /// `out[i] = op(x[i])`; `out` may be `x`, and may not overlap it otherwise.
    public void apply(Unary op, DeviceBuffer x, DeviceBuffer out) {
        check(op.name(), op.forIntegers() ? ALL : FLOATING, x, out);
        checkSameOrApart(op.name(), "out", out, x);
        if (onHost()) host(() -> HostArrays.apply(op, x, out));
        else launch(Part.ELEMENTS, op.kernel(), x.type(), x.count(), x, out);
    }

    // ---- reductions

    /// The sum of all elements, in their type; 0 of none.
    public double sum(DeviceBuffer x) {
        return reduced("sum", x);
    }

    /// The smallest element; NaN where one of them is.
    ///
    /// @throws DeviceException when there is none
    public double min(DeviceBuffer x) {
        return reduced("min", x);
    }

    /// The largest element; NaN where one of them is.
    ///
    /// @throws DeviceException when there is none
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

    /// As [#sum(DeviceBuffer)], into the one element of `out`, which a message can take from there.
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

    /// `out`, of `columns` × `rows`, is the transpose of `x`, of `rows` × `columns`. The two may not overlap.
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

    /// `c = a · b`, of `rows` × `inner` and `inner` × `columns`. `c` may not overlap `a` or `b`. Floating-point
    /// numbers are multiplied by the maker's library, cuBLAS or hipBLAS, where it is found, everything else by a
    /// kernel of this library: [#products].
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

    /// A block for each tile.
    private static Dim tiles(int rows, int columns) {
        return Dim.of(Math.toIntExact((long) Math.ceilDiv(columns, TILE) * Math.ceilDiv(rows, TILE)));
    }

    /// What [#matmul] uses for `FLOAT` and `DOUBLE`: the library that was found, or why there is none.
    /// `-Dtutti.device.lib.cublas=…` and `-Dtutti.device.lib.hipblas=…` name one; a file that is not
    /// there leaves it out.
    public String products() {
        return device.locked(d -> {
            if (d instanceof MatrixLibrary library) return library.products();
            return d.isHostMemory()
                    ? "Java"
                    : "a kernel; there is no library for " + d.attributes().kind();
        });
    }

    /// By the maker's library, if it is there.
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
            throw device.error(operation + ": " + rows + " × " + columns + " is not what a buffer of " + x.count()
                    + " elements holds");
        }
    }

    // ---- random numbers

    /// Random numbers from 0 to 1, without 1: those from `first` on of the one sequence that `seed` has.
    /// So the ranks of a program, each with its own part, get the same numbers together on any number of
    /// ranks and any device.
    public void uniform(DeviceBuffer out, long seed, long first) {
        check("uniform", FLOATING, out);
        if (onHost()) host(() -> HostArrays.uniform(out, seed, first));
        else launch(Part.RANDOM, "uniform", out.type(), out.count(), seed, first, out);
    }

    /// Random numbers of the standard normal distribution, as [#uniform].
    public void normal(DeviceBuffer out, long seed, long first) {
        check("normal", FLOATING, out);
        if (onHost()) host(() -> HostArrays.normal(out, seed, first));
        else launch(Part.RANDOM, "normal", out.type(), out.count(), seed, first, out);
    }

    // ---- ways

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
                throw device.error(operation + ": elements of " + each.type() + "; it is for " + types);
            }
            if (each.type() != first.type() || each.count() != first.count()) {
                throw device.error(operation + ": buffers of " + first + " and " + each + " do not fit each other");
            }
        }
    }

    /// Rejects operands that share only some elements with the result: an element would be read after it was written.
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
