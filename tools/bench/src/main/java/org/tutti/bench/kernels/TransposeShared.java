package org.tutti.bench.kernels;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Window;

/// A transpose through shared memory: A is stored in a shared window, and each rank reads columns from the rows
/// of all ranks. All ranks must run on one machine.
final class TransposeShared extends Transpose {
    private final Window window;
    private final MemorySegment rows;

    TransposeShared(Mpi mpi, int divisor) {
        super(mpi, divisor);
        window = Window.shared(world, (long) Double.BYTES * block * order, Double.BYTES);
        rows = window.memory();
        window.lockAll();
        for (int r = 0; r < block; r++) {
            for (int j = 0; j < order; j++)
                rows.setAtIndex(ValueLayout.JAVA_DOUBLE, (long) r * order + j, initial(r, j));
        }
    }

    @Override
    public void run(int iterations) {
        synchronize();
        for (int k = 0; k < iterations; k++) {
            for (int r = 0; r < ranks; r++) {
                int from = (me + r) % ranks;
                addColumns(window.memory(from), me * block, order, block, sum, from * block);
            }
            synchronize();
            increment(rows, (long) block * order);
            synchronize();
        }
    }

    /// Makes the values that each rank has stored visible to all ranks.
    private void synchronize() {
        window.sync();
        world.barrier();
        window.sync();
    }

    private static void addColumns(MemorySegment rows, int from, int order, int block, double[] sum, int to) {
        for (int c = 0; c < block; c++) {
            for (int r = 0; r < block; r++) {
                sum[c * order + to + r] += rows.getAtIndex(ValueLayout.JAVA_DOUBLE, (long) r * order + from + c);
            }
        }
    }

    private static void increment(MemorySegment rows, long count) {
        for (long i = 0; i < count; i++) {
            rows.setAtIndex(ValueLayout.JAVA_DOUBLE, i, rows.getAtIndex(ValueLayout.JAVA_DOUBLE, i) + 1);
        }
    }

    @Override
    public void close() {
        window.unlockAll();
        window.close();
    }
}
