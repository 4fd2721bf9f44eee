import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

// Prints the time per call, in microseconds, for windows of 250 ms from the first call on: `FirstSecond.java
// message` on two ranks, or `FirstSecond.java allreduce` on any number. first_second.c and first_second.py do
// the same.

static final int WINDOWS = 16, CALLS = 100;
static final long WINDOW_NANOS = 250_000_000;

void main(String[] args) {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        boolean isMessage = args[0].equals("message");
        Buf bytes = buf(new byte[8]), in = buf(new double[1]), out = buf(new double[1]);
        int[] isOver = {0};
        StringBuilder line = new StringBuilder();
        world.barrier();
        for (int window = 0; window < WINDOWS; window++) {
            long begin = System.nanoTime(), now;
            int calls = 0;
            do {
                for (int i = 0; i < CALLS; i++) {
                    if (!isMessage) world.allreduce(in, out, Op.SUM);
                    else if (world.rank() == 0) world.send(bytes, 1);
                    else world.recv(bytes, 0);
                    if (isMessage && world.rank() == 0) world.recv(bytes, 1);
                    else if (isMessage) world.send(bytes, 0);
                }
                calls += isMessage ? 2 * CALLS : CALLS;
                now = System.nanoTime();
                isOver[0] = now - begin >= WINDOW_NANOS ? 1 : 0;
                world.bcast(buf(isOver), 0);
            } while (isOver[0] == 0);
            line.append(String.format(" %.3f", (now - begin) / 1e3 / calls));
        }
        if (world.rank() == 0) IO.println(line.toString().strip());
    }
}
