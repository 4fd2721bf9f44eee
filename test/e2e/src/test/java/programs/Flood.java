package programs;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// Rank 0 sends far more messages than rank 1 receives meanwhile. Rank 1 first waits for one message. In the
/// mode `right` rank 2 sends this message, so the program is correct. In the mode `wrong` this message is the
/// last message of rank 0, so the program relies on unlimited memory, which libraries allow. In the mode
/// `probed` rank 1 searches for this message with a probe. The second argument is the number of messages.
public final class Flood {
    private static final int BYTES = 128, FIRST = 1, FLOOD = 2;
    private static final int QUIET_MILLIS = 2_000;

    private static int messages = 300_000;
    private static volatile int sent;

    private Flood() {}

    public static void main(String[] args) throws InterruptedException {
        boolean right = args[0].equals("right");
        if (args.length > 1) messages = Integer.parseInt(args[1]);
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            switch (world.rank()) {
                case 0 -> {
                    Thread watch = Thread.ofPlatform().unstarted(() -> notifyAfterLastSend(world));
                    if (right) watch.start();
                    for (int i = 0; i < messages; i++) {
                        world.send(buf(new byte[BYTES]), 1, FLOOD); // flood
                        sent = i + 1;
                    }
                    if (right) watch.join();
                    else world.send(buf(new byte[1]), 1, FIRST);
                }
                case 1 -> {
                    int from = right ? 2 : 0;
                    if (args[0].equals("probed")) world.mprobe(from, FIRST).recv(buf(new byte[1]));
                    else world.recv(buf(new byte[1]), from, FIRST); // first
                    System.gc();
                    Runtime heap = Runtime.getRuntime();
                    IO.println((heap.totalMemory() - heap.freeMemory() >> 20) + " MiB");
                    for (int i = 0; i < messages; i++) world.recv(buf(new byte[BYTES]), 0, FLOOD);
                }
                default -> {
                    world.recv(buf(new byte[1]), 0, FIRST);
                    world.send(buf(new byte[1]), 1, FIRST);
                }
            }
        }
    }

    /// Notifies rank 2 when all messages have been sent, or when the next send has waited for some time.
    private static void notifyAfterLastSend(Comm world) {
        try {
            for (int before = -1; before != sent && sent < messages; ) {
                before = sent;
                Thread.sleep(QUIET_MILLIS);
            }
            world.send(buf(new byte[1]), 2, FIRST);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
