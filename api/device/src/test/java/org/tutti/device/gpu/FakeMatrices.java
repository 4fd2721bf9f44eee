package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.device.gpu.FakeLibrary.at;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A fake matrix library with column-major order: products are queued as work on a stream of `gpu`.
public final class FakeMatrices implements FakeLibrary.Behaviour {
    private static final int INVALID = 7;

    private final FakeGpu gpu;
    private final int asItIs;
    private final Map<Long, Long> streams = new HashMap<>();
    private long number = 0xb1a5;

    /// @param asItIs the operation for an unchanged matrix
    public FakeMatrices(FakeGpu gpu, int asItIs) {
        this.gpu = gpu;
        this.asItIs = asItIs;
    }

    /// Returns the number of open handles.
    public int handles() {
        return streams.size();
    }

    @Override
    public int call(String row, Object[] a) {
        switch (row) {
            case "CREATE" -> {
                streams.put(++number, 0L);
                at(a[0]).set(JAVA_LONG, 0, number);
                return 0;
            }
            case "DESTROY" -> {
                return streams.remove((long) a[0]) == null ? INVALID : 0;
            }
            case "SET_STREAM" -> {
                return streams.replace((long) a[0], (long) a[1]) == null ? INVALID : 0;
            }
            default -> {
                return multiply(row.equals("MULTIPLY_DOUBLES"), a);
            }
        }
    }

    private int multiply(boolean isDouble, Object[] a) {
        Long stream = streams.get((long) a[0]);
        int m = (int) a[3], n = (int) a[4], k = (int) a[5], lda = (int) a[8], ldb = (int) a[10], ldc = (int) a[13];
        boolean fits = lda >= m && ldb >= k && ldc >= m;
        if (stream == null || (int) a[1] != asItIs || (int) a[2] != asItIs || !fits) return INVALID;
        double alpha = get(isDouble, a[6], 0), beta = get(isDouble, a[11], 0);
        @Nullable
        Object given = gpu.enqueue(stream, () -> {
            for (int column = 0; column < n; column++) {
                for (int row = 0; row < m; row++) {
                    double sum = 0;
                    for (int i = 0; i < k; i++) {
                        sum += get(isDouble, a[7], row + (long) i * lda) * get(isDouble, a[9], i + (long) column * ldb);
                    }
                    long where = row + (long) column * ldc;
                    set(isDouble, a[12], where, alpha * sum + (beta == 0 ? 0 : beta * get(isDouble, a[12], where)));
                }
            }
        });
        return given == null ? INVALID : 0;
    }

    private static double get(boolean isDouble, Object address, long i) {
        return isDouble ? at(address).getAtIndex(JAVA_DOUBLE, i) : at(address).getAtIndex(JAVA_FLOAT, i);
    }

    private static void set(boolean isDouble, Object address, long i, double value) {
        if (isDouble) at(address).setAtIndex(JAVA_DOUBLE, i, value);
        else at(address).setAtIndex(JAVA_FLOAT, i, (float) value);
    }
}
