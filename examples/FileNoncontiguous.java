/*
 * Each rank writes every n-th number of a file, through a view that contains only these numbers.
 *
 * The second program on parallel I/O in mpi4py's tutorial.
 *
 *     ./tutti run -n 3 examples/FileNoncontiguous.java
 *
 *     the file: [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]
 *     rank 1 reads back [1, 1, 1, 1]
 */

import static org.tutti.mpi.Buf.buf;

import java.nio.file.Files;
import java.util.Arrays;
import org.tutti.mpi.*;
import org.tutti.mpi.MpiFile.Mode;
import org.tutti.mpi.MpiFile.Seek;

static final int COUNT = 4;

void main() throws Exception {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        String path = world.bcastObject(me == 0 ? Files.createTempFile("noncontiguous", ".dat").toString() : "", 0);
        try (MpiFile file = MpiFile.open(world, path, Mode.CREATE, Mode.RDWR, Mode.DELETE_ON_CLOSE)) {
            int[] mine = new int[COUNT];
            Arrays.fill(mine, me);
            Datatype filetype = Datatype.INT.vector(COUNT, 1, n);
            file.setView((long) me * Integer.BYTES, Datatype.INT, filetype);
            file.writeAll(buf(mine));

            file.seek(0, Seek.SET);
            int[] back = new int[COUNT];
            file.readAll(buf(back));
            file.sync();
            file.setView(0, Datatype.INT);
            int[] all = new int[n * COUNT];
            if (me == 0) {
                file.read(buf(all));
                IO.println("the file: " + Arrays.toString(all));
            }
            world.barrier();
            if (me == 1) IO.println("rank 1 reads back " + Arrays.toString(back));
        }
    }
}
