package org.tutti.conformance.random;

import static org.tutti.mpi.Buf.buf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.MpiFile.Mode;

/// All ranks write and read one file, with one of the kinds of file pointers.
final class FileStep {
    private final Step step;
    private final Comm comm;

    FileStep(Step step) {
        this.step = step;
        comm = step.comm();
    }

    private int value(int rank, int i) {
        return (int) step.seed() + 1_000_003 * rank + i;
    }

    void run() {
        int me = step.me(), n = step.size(), kind = step.shared().nextInt(4);
        int count = step.shared().nextInt(1, 200);
        Path made = me == 0 ? create() : null;
        String path = Objects.requireNonNull(comm.bcastObject(String.class, made == null ? null : made.toString(), 0));
        int[] mine = new int[count], all = new int[n * count];
        for (int i = 0; i < count; i++) mine[i] = value(me, i);
        try (MpiFile file = MpiFile.open(comm, path, Mode.RDWR)) {
            file.setView(0, Datatype.INT);
            switch (kind) {
                case 0 -> file.writeAtAll((long) me * count, buf(mine));
                case 1 -> {
                    file.writeAt((long) me * count, buf(mine));
                    file.sync();
                }
                case 2 -> file.writeOrdered(buf(mine));
                default -> file.iwriteAtAll((long) me * count, buf(mine)).await();
            }
            file.sync();
            comm.barrier();
            file.readAtAll(0, buf(all));
        }
        for (int k = 0; k < all.length; k++) Check.same(value(k / count, k % count), all[k], "element of a file ", k);
        comm.barrier();
        delete(made);
    }

    private static Path create() {
        try {
            return Files.createTempFile("tutti", "random");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(@Nullable Path made) {
        if (made == null) return;
        try {
            Files.delete(made);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
