package programs;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// Rank 0 sends far more than rank 1 receives meanwhile, which waits for another message first: one of rank
/// 2, so that the program is right (`right`), or one that rank 0 sends afterwards, so that it relies on
/// memory without bound (`wrong`).
public final class Flood {
    private static final int MESSAGES = 400_000, BYTES = 128, FIRST = 1, FLOOD = 2;

    /// So long rank 2 leaves rank 0 time to send.
    private static final long HEAD_START_MILLIS = 3_000;

    private Flood() {}

    public static void main(String[] args) throws InterruptedException {
        boolean right = args[0].equals("right");
        int first = right ? 2 : 0;
        try (Mpi mpi = Mpi.init(args)) {
            Comm world = mpi.world();
            switch (world.rank()) {
                case 0 -> {
                    for (int i = 0; i < MESSAGES; i++) world.send(buf(new byte[BYTES]), 1, FLOOD); // flood
                    if (!right) world.send(buf(new byte[1]), 1, FIRST);
                }
                case 1 -> {
                    world.recv(buf(new byte[1]), first, FIRST); // first
                    System.gc();
                    Runtime heap = Runtime.getRuntime();
                    IO.println((heap.totalMemory() - heap.freeMemory() >> 20) + " MiB");
                    for (int i = 0; i < MESSAGES; i++) world.recv(buf(new byte[BYTES]), 0, FLOOD);
                }
                default -> {
                    Thread.sleep(HEAD_START_MILLIS);
                    world.send(buf(new byte[1]), 1, FIRST);
                }
            }
        }
    }
}
