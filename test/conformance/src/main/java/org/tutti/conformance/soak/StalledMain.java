package org.tutti.conformance.soak;

import static org.tutti.mpi.Buf.buf;

import org.tutti.conformance.random.RandomMain;
import org.tutti.mpi.Mpi;

/// Runs random programs with bursts for `SECONDS` seconds, with the seeds from `SEED`:
/// `StalledMain SEED SECONDS`. The ranks end without a final synchronization.
///
/// Meanwhile, a test stops some ranks. At the end, rank 0 prints `stalled soak done: … programs`.
public final class StalledMain {
    public static final String DONE = "stalled soak done: ";

    private StalledMain() {}

    public static void main(String[] args) {
        long seed = Long.parseLong(args[0]);
        long nanos = Long.parseLong(args[1]) * 1_000_000_000L;
        try (Mpi mpi = Mpi.init()) {
            long start = System.nanoTime();
            boolean[] isOver = {false};
            int programs = 0;
            while (!isOver[0]) {
                RandomMain.run(mpi, seed + programs++, 1, RandomMain.Kind.BURSTS);
                isOver[0] = System.nanoTime() - start > nanos;
                mpi.world().bcast(buf(isOver), 0);
            }
            if (mpi.world().rank() == 0) System.out.println(DONE + programs + " programs from seed " + seed);
        }
    }
}
