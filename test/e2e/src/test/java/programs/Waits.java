package programs;

import static org.tutti.mpi.Buf.buf;

import java.util.SplittableRandom;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.Requests;

/// All ranks print the pids and then wait or work forever, in the form that the argument selects.
public final class Waits {
    private Waits() {}

    public static void main(String[] args) throws Exception {
        Mpi mpi = Mpi.init();
        Comm world = mpi.world();
        world.barrier();
        Ready.print(world.rank());
        switch (args[0]) {
            case "recv" -> world.recv(buf(new int[1]), (world.rank() + 1) % world.size());
            case "barrier" -> barrier(world);
            case "sleep" -> Thread.sleep(Long.MAX_VALUE);
            case "exchange" -> exchange(mpi, world);
            case "failAfterLine" -> failAfterLine(world);
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /// Rank 0 never enters the barrier.
    private static void barrier(Comm world) throws InterruptedException {
        if (world.rank() == 0) Thread.sleep(Long.MAX_VALUE);
        world.barrier();
    }

    /// Rank 1 throws an exception when rank 0 has read a line from stdin.
    private static void failAfterLine(Comm world) {
        if (world.rank() == 0) IO.readln();
        if (world.rank() == 0) world.send(buf(new int[1]), 1);
        if (world.rank() != 1) world.recv(buf(new int[1]), world.rank());
        world.recv(buf(new int[1]), 0);
        throw new IllegalStateException("rank 1 has read enough");
    }

    /// Exchanges messages of all sizes around a ring, and sometimes computes a sum.
    private static void exchange(Mpi mpi, Comm world) {
        int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
        SplittableRandom random = new SplittableRandom(42); // the same sizes on every rank
        while (true) {
            byte[] out = new byte[1 << random.nextInt(20)], in = new byte[out.length];
            try (Requests pending = mpi.requests()) {
                pending.add(world.irecv(buf(in), left));
                pending.add(world.isend(buf(out), right));
                pending.awaitAll();
            }
            if (random.nextInt(4) == 0) world.allreduce(1, Op.SUM);
            if (random.nextInt(50) == 0) mpi.alloc(1 << random.nextInt(16));
        }
    }
}
