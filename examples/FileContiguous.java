/*
 * Each rank writes a block of a file, in rank order; then all ranks read the whole file.
 *
 * The first program on parallel I/O in mpi4py's tutorial.
 *
 *     ./tutti run -n 3 examples/FileContiguous.java
 *
 *     rank 0 wrote 10 numbers at byte 0
 *     rank 1 wrote 10 numbers at byte 40
 *     rank 2 wrote 10 numbers at byte 80
 *     the file has 120 bytes: 10 times 0, 10 times 1, 10 times 2
 */

import static org.tutti.mpi.Buf.buf;

import java.nio.file.Files;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tutti.mpi.*;
import org.tutti.mpi.MpiFile.Mode;

static final int COUNT = 10;

void main() throws Exception {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        String path = world.bcastObject(me == 0 ? Files.createTempFile("contiguous", ".dat").toString() : "", 0);
        try (MpiFile file = MpiFile.open(world, path, Mode.CREATE, Mode.RDWR, Mode.DELETE_ON_CLOSE)) {
            int[] block = new int[COUNT];
            Arrays.fill(block, me);
            long offset = (long) me * COUNT * Integer.BYTES;
            long wrote = file.writeAtAll(offset, buf(block)).count();
            IO.println("rank " + me + " wrote " + wrote + " numbers at byte " + offset);

            // After sync, each rank reads the data that the other ranks have written before.
            file.sync();
            int[] all = new int[n * COUNT];
            file.readAtAll(0, buf(all));
            if (me == 0) {
                String times = IntStream.range(0, n)
                        .mapToObj(r -> Arrays.stream(all).filter(x -> x == r).count() + " times " + r)
                        .collect(Collectors.joining(", "));
                IO.println("the file has " + file.size() + " bytes: " + times);
            }
        }
    }
}
