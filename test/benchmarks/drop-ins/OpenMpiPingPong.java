// Compares a message through the API of Open MPI's Java bindings with the same message through org.tutti.mpi.
//
//     ./tutti run --with openmpi-java -n 2 test/benchmarks/drop-ins/OpenMpiPingPong.java [ROUNDS]
//
// Ping-pong between two ranks, with arrays and direct buffers. The two APIs alternate in short blocks of one
// process, so that load on the machine affects the two APIs equally. Rank 0 prints the medians of ROUNDS (201)
// blocks, the median ratio of consecutive blocks, and the number of bytes that the drop-in allocates for a
// message.

import static org.tutti.mpi.Buf.buf;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import mpi.MPI;
import mpi.MPIException;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Session;

public class OpenMpiPingPong {
    static final Map<Integer, Integer> MESSAGES = Map.of(8, 300, 1 << 10, 300, 1 << 16, 30, 1 << 20, 4);
    static final int WARM_ROUNDS = 100;

    static int me, other;

    /** Executes round trips. */
    interface Loop {
        void run(int times) throws MPIException;
    }

    public static void main(String[] args) throws Exception {
        args = MPI.Init(args);
        me = MPI.COMM_WORLD.getRank();
        other = 1 - me;
        if (MPI.COMM_WORLD.getSize() != 2) throw new IllegalArgumentException("needs 2 ranks: tutti run -n 2 …");
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 201;
        try (Session session = Session.open();
                OwnedComm own = session.createFromGroup(session.group(Session.WORLD), "ping-pong")) {
            for (int bytes : new int[] {8, 1 << 10, 1 << 16, 1 << 20}) {
                int[] out = new int[bytes / 4], in = new int[bytes / 4];
                compare("array", bytes, rounds, dropIn(out, in, bytes / 4), tutti(own, buf(out), buf(in)));
                ByteBuffer directOut = MPI.newByteBuffer(bytes), directIn = MPI.newByteBuffer(bytes);
                compare("direct", bytes, rounds, dropIn(directOut.asIntBuffer(), directIn.asIntBuffer(), bytes / 4),
                        tutti(own, buf(MemorySegment.ofBuffer(directOut)), buf(MemorySegment.ofBuffer(directIn))));
            }
        }
        MPI.Finalize();
    }

    static Loop dropIn(Object out, Object in, int count) {
        return times -> {
            for (int i = 0; i < times; i++) {
                if (me == 0) MPI.COMM_WORLD.send(out, count, MPI.INT, other, 0);
                MPI.COMM_WORLD.recv(in, count, MPI.INT, other, 0);
                if (me == 1) MPI.COMM_WORLD.send(out, count, MPI.INT, other, 0);
            }
        };
    }

    static Loop tutti(Comm own, Buf out, Buf in) {
        return times -> {
            for (int i = 0; i < times; i++) {
                if (me == 0) own.send(out, other, 0);
                own.recv(in, other, 0);
                if (me == 1) own.send(out, other, 0);
            }
        };
    }

    static void compare(String label, int bytes, int rounds, Loop dropIn, Loop tutti) throws MPIException {
        int messages = MESSAGES.get(bytes);
        double[] theirs = new double[rounds], ours = new double[rounds], ratios = new double[rounds];
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = 0;
        for (int round = -WARM_ROUNDS; round < rounds; round++) {
            boolean first = (round & 1) == 0;
            double own = first ? 0 : micros(tutti, messages);
            long before = threads.getCurrentThreadAllocatedBytes();
            double older = micros(dropIn, messages);
            long used = threads.getCurrentThreadAllocatedBytes() - before;
            if (first) own = micros(tutti, messages);
            if (round < 0) continue;
            allocated += used;
            theirs[round] = older;
            ours[round] = own;
            ratios[round] = older / own;
        }
        if (me != 0) return;
        String line = "%-6s %8d bytes: %9.2f µs, org.tutti.mpi %9.2f µs: %.3f; %.1f bytes of heap a message%n";
        System.out.printf(Locale.ROOT, line, label, bytes, median(theirs), median(ours), median(ratios),
                (double) allocated / rounds / messages / 2);
    }

    /** Returns the time of a message in one direction, in microseconds. */
    static double micros(Loop loop, int messages) throws MPIException {
        long start = System.nanoTime();
        loop.run(messages);
        return (System.nanoTime() - start) / 2e3 / messages;
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
