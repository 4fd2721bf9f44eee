package programs;

import static org.tutti.mpi.Buf.buf;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.Window;

/// Ranks that repeatedly create and close an object, and check the system resources that it needs.
///
///     Often windows 10000
///     Often files 10000 /tmp/file
public final class Often {
    /// The number of objects that are created first, to load code and fill pools.
    private static final int FIRST = 200;

    private static final long MOST_KIB = 64 << 10;

    private Often() {}

    public static void main(String[] args) throws IOException {
        int times = Integer.parseInt(args[1]);
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            for (int i = 0; i < FIRST; i++) once(world, args);
            int files = open();
            long mapped = mapped();
            for (int i = 0; i < times; i++) once(world, args);
            System.gc();
            if (open() > files + 8) throw new IllegalStateException(files + " open files became " + open());
            if (mapped() > mapped + MOST_KIB) {
                throw new IllegalStateException(mapped + " KiB of shared memory became " + mapped());
            }
            world.barrier();
            if (world.rank() == 0) System.out.println("often");
        }
    }

    private static void once(Comm world, String[] args) {
        if (args[0].equals("windows")) {
            try (Window window = Window.allocate(world, 4096, 8)) {
                window.fence();
                window.put(buf(new long[] {1}), (world.rank() + 1) % world.size(), 0);
                window.fence();
            }
        } else {
            try (MpiFile file = MpiFile.open(world, args[2], MpiFile.Mode.CREATE, MpiFile.Mode.RDWR)) {
                file.writeAt(8L * world.rank(), buf(new long[] {world.rank()}));
            }
        }
    }

    private static int open() {
        String[] all = new File("/proc/self/fd").list();
        return all == null ? 0 : all.length;
    }

    /// Returns the amount of shared memory that this process has touched, in KiB.
    private static long mapped() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("RssShmem:")) return Long.parseLong(line.replaceAll("\\D", ""));
        }
        return 0;
    }
}
