package programs;

import static org.tutti.mpi.Buf.buf;

import java.util.SplittableRandom;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.Request;

/// A correct, slow program, which runs for the number of seconds in the argument. In each round all ranks wait
/// for one rank, in a different form than in the previous round.
public final class Slow {
    private static final int LONGEST_MILLIS = 4_000, LARGE = 1 << 20;

    private Slow() {}

    public static void main(String[] args) throws InterruptedException {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000;
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            Ready.print(world.rank());
            SplittableRandom random = new SplittableRandom(7);
            for (int round = 0; goesOn(world, end); round++) {
                int slow = random.nextInt(world.size());
                int millis = random.nextInt(LONGEST_MILLIS);
                if (world.rank() == slow) Thread.sleep(millis);
                round(world, slow, round);
            }
        }
    }

    /// Returns whether the ranks continue: rank 0 decides by the time.
    private static boolean goesOn(Comm world, long end) {
        return world.bcast(System.nanoTime() - end < 0 ? 1 : 0, 0) == 1;
    }

    private static void round(Comm world, int slow, int round) {
        int me = world.rank(), n = world.size();
        int right = (me + 1) % n, left = (me + n - 1) % n;
        switch (round % 6) {
            case 0 -> world.barrier();
            case 1 -> world.allreduce(1, Op.SUM);
            case 2 -> world.sendrecv(buf(new byte[LARGE]), right, 1, buf(new byte[LARGE]), left, 1);
            case 3 -> {
                Request barrier = world.ibarrier();
                if (me == slow) world.send(buf(new int[1]), right, 2);
                if (left == slow) world.recv(buf(new int[1]), Comm.ANY_SOURCE, 2);
                barrier.await();
            }
            case 4 -> {
                if (me != slow) world.ssend(buf(new int[1]), slow, 3);
                else for (int i = 1; i < n; i++) world.recv(buf(new int[1]), Comm.ANY_SOURCE, 3);
            }
            default -> world.split(me % 2).close();
        }
    }
}
