package programs;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Request;

/// A virtual thread of rank 0 polls for a message, which rank 1 sends only after a second virtual thread of
/// rank 0 has answered.
public final class Polls {
    private Polls() {}

    public static void main(String[] args) throws Exception {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            if (world.rank() == 0) {
                Thread polling = Thread.ofVirtual().start(() -> {
                    Request last = world.irecv(buf(new int[1]), 1, 3);
                    while (!last.test()) {} // until the message has arrived
                });
                Thread answering = Thread.ofVirtual().start(() -> {
                    world.recv(buf(new int[1]), 1, 1);
                    world.send(buf(new int[1]), 1, 2);
                });
                polling.join();
                answering.join();
            } else {
                Thread.sleep(300); // by now, the first thread polls
                world.send(buf(new int[1]), 0, 1);
                world.recv(buf(new int[1]), 0, 2);
                world.send(buf(new int[1]), 0, 3);
            }
        }
    }
}
