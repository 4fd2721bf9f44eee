package org.tutti.train.device;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.DeviceStream;
import org.tutti.device.Dim;
import org.tutti.device.Kernel;
import org.tutti.mpi.Datatype;

/// The kernels that scale gradients of one element type, detect non-finite numbers and sum squares, on any
/// stream of a device.
final class GradientKernels {
    private static final int THREADS = 256, MOST_BLOCKS = 1024, PARTS = 64;

    /// `tutti_mark` detects non-finite numbers by the fact that such a number minus itself is NaN. Squares are
    /// summed in double precision, as on the CPU.
    private static final String SOURCE = """
            extern "C" __global__ void tutti_weigh(long long n, REAL factor, REAL* x) {
                long long i = blockIdx.x * (long long) blockDim.x + threadIdx.x;
                for (; i < n; i += (long long) gridDim.x * blockDim.x) x[i] = x[i] * factor;
            }
            extern "C" __global__ void tutti_mark(long long n, const REAL* x, REAL* mark) {
                long long i = blockIdx.x * (long long) blockDim.x + threadIdx.x;
                for (; i < n; i += (long long) gridDim.x * blockDim.x) {
                    if (!(x[i] - x[i] == 0)) mark[0] = 1;
                }
            }
            extern "C" __global__ void tutti_squares(long long n, const REAL* x, double* out) {
                __shared__ double part[256];
                double sum = 0;
                long long i = blockIdx.x * (long long) blockDim.x + threadIdx.x;
                for (; i < n; i += (long long) gridDim.x * blockDim.x) sum += (double) x[i] * (double) x[i];
                part[threadIdx.x] = sum;
                __syncthreads();
                for (int step = 128; step > 0; step >>= 1) {
                    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
                    __syncthreads();
                }
                if (threadIdx.x == 0) out[blockIdx.x] += part[0];
            }
            """;

    private final boolean isSingle;
    private final boolean isHost;
    private final Kernel weigh, mark, squares;
    private final DeviceBuffer zero, answer, parts;
    private final MemorySegment read = Arena.ofAuto().allocate(PARTS * Double.BYTES, Double.BYTES);

    GradientKernels(Device device, Datatype type) {
        isSingle = type == Datatype.FLOAT;
        isHost = device.attributes().kind().equals("host");
        String source = SOURCE.replace("REAL", isSingle ? "float" : "double");
        weigh = device.kernel("tutti_weigh", source, (thread, a) -> {
            long n = a.longValue(0);
            if (isSingle) {
                float factor = a.floatValue(1);
                for (long i = 0; i < n; i++) a.set(2, i, a.getFloat(2, i) * factor);
            } else {
                double factor = a.doubleValue(1);
                for (long i = 0; i < n; i++) a.set(2, i, a.getDouble(2, i) * factor);
            }
        });
        mark = device.kernel("tutti_mark", source, (thread, a) -> {
            long n = a.longValue(0);
            boolean finite = true;
            if (isSingle) for (long i = 0; i < n; i++) finite &= Float.isFinite(a.getFloat(1, i));
            else for (long i = 0; i < n; i++) finite &= Double.isFinite(a.getDouble(1, i));
            if (finite) return;
            if (isSingle) a.set(2, 0, 1f);
            else a.set(2, 0, 1.0);
        });
        squares = device.kernel("tutti_squares", source, (thread, a) -> {
            long n = a.longValue(0);
            double sum = 0;
            for (long i = 0; i < n; i++) {
                double x = isSingle ? a.getFloat(1, i) : a.getDouble(1, i);
                sum += x * x;
            }
            a.set(2, 0, a.getDouble(2, 0) + sum);
        });
        zero = device.zeros(type, 1);
        answer = device.zeros(type, 1);
        parts = device.zeros(Datatype.DOUBLE, PARTS);
    }

    /// Returns the number of blocks. On the host, a kernel runs on one thread, which processes all elements.
    private Dim blocks(long count, int most) {
        return Dim.of(isHost ? 1 : (int) Math.min(most, Math.ceilDiv(count, THREADS)));
    }

    private Dim threads() {
        return Dim.of(isHost ? 1 : THREADS);
    }

    void scale(DeviceBuffer x, double factor, DeviceStream stream) {
        if (x.count() == 0) return;
        Object by = isSingle ? (Object) (float) factor : (Object) factor;
        weigh.launch(stream, 0, blocks(x.count(), MOST_BLOCKS), threads(), x.count(), by, x);
    }

    /// Writes 0 to the only element of `to`.
    void clear(DeviceBuffer to, DeviceStream stream) {
        to.copyFrom(zero, stream);
    }

    /// Writes 1 to the only element of `to` if a number in `x` is not finite.
    void markUnlessFinite(DeviceBuffer x, DeviceBuffer to, DeviceStream stream) {
        if (x.count() > 0) mark.launch(stream, 0, blocks(x.count(), MOST_BLOCKS), threads(), x.count(), x, to);
    }

    /// Waits for the device.
    synchronized boolean isFinite(DeviceBuffer x, DeviceStream stream) {
        clear(answer, stream);
        markUnlessFinite(x, answer, stream);
        return value(answer) == 0;
    }

    /// Returns the only element of a buffer; waits for the device.
    synchronized double value(DeviceBuffer of) {
        MemorySegment one = read.asSlice(0, isSingle ? Float.BYTES : Double.BYTES);
        of.copyTo(one, 0);
        return isSingle ? one.get(JAVA_FLOAT, 0) : one.get(JAVA_DOUBLE, 0);
    }

    /// Returns the sum of the squares of all numbers in several buffers; waits for the device once.
    synchronized double squares(List<DeviceBuffer> all, DeviceStream stream) {
        parts.clear();
        for (DeviceBuffer x : all) {
            if (x.count() > 0) squares.launch(stream, 0, blocks(x.count(), PARTS), threads(), x.count(), x, parts);
        }
        parts.copyTo(read, 0);
        double sum = 0;
        for (int i = 0; i < PARTS; i++) sum += read.getAtIndex(JAVA_DOUBLE, i);
        return sum;
    }
}
