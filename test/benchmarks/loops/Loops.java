import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Measures two properties of loops that docs/performance.md describes, without MPI.
///
///     java test/benchmarks/loops/Loops.java life-in-main
///     java test/benchmarks/loops/Loops.java life-in-method
///     java test/benchmarks/loops/Loops.java axpy
void main(String[] args) {
    int n = 500;
    byte[][] now = new byte[n][n], next = new byte[n][n];
    long start = System.nanoTime();
    switch (args[0]) {
        case "life-in-main" -> {
            for (int step = 0; step < 300; step++) {
                for (int i = 1; i < n - 1; i++) {
                    for (int j = 1; j < n - 1; j++) {
                        int sum = 0;
                        for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) sum += now[i + y][j + x];
                        next[i][j] = (byte) (sum == 3 ? 1 : 0);
                    }
                }
                byte[][] swapped = now;
                now = next;
                next = swapped;
            }
        }
        case "life-in-method" -> {
            for (int step = 0; step < 300; step++) {
                step(now, next);
                byte[][] swapped = now;
                now = next;
                next = swapped;
            }
        }
        default -> {
            for (int round = 0; round < 3; round++) axpy();
            return;
        }
    }
    IO.println(args[0] + String.format(" %.3f s", (System.nanoTime() - start) * 1e-9));
}

void step(byte[][] now, byte[][] next) {
    int n = now.length;
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < n - 1; j++) {
            int sum = 0;
            for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) sum += now[i + y][j + x];
            next[i][j] = (byte) (sum == 3 ? 1 : 0);
        }
    }
}

static final int LENGTH = 4096, TIMES = 100_000;

void axpy() {
    double[] x = new double[LENGTH], y = new double[LENGTH];
    MemorySegment p = Arena.ofAuto().allocate(8L * LENGTH, 64), q = Arena.ofAuto().allocate(8L * LENGTH, 64);
    long a = System.nanoTime();
    for (int i = 0; i < TIMES; i++) overArrays(x, y);
    long b = System.nanoTime();
    for (int i = 0; i < TIMES; i++) overSegments(p, q, LENGTH);
    long c = System.nanoTime();
    for (int i = 0; i < TIMES; i++) overSegmentsByLong(p, q, LENGTH);
    long d = System.nanoTime();
    IO.println(String.format(
            "axpy: arrays %.3f s, segments by int %.3f s, by long %.3f s",
            (b - a) * 1e-9, (c - b) * 1e-9, (d - c) * 1e-9));
}

void overArrays(double[] x, double[] y) {
    for (int i = 0; i < x.length; i++) y[i] += 1.5 * x[i];
}

void overSegments(MemorySegment x, MemorySegment y, int length) {
    for (int i = 0; i < length; i++) {
        double sum = y.getAtIndex(ValueLayout.JAVA_DOUBLE, i) + 1.5 * x.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
        y.setAtIndex(ValueLayout.JAVA_DOUBLE, i, sum);
    }
}

void overSegmentsByLong(MemorySegment x, MemorySegment y, long length) {
    for (long i = 0; i < length; i++) {
        double sum = y.getAtIndex(ValueLayout.JAVA_DOUBLE, i) + 1.5 * x.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
        y.setAtIndex(ValueLayout.JAVA_DOUBLE, i, sum);
    }
}
