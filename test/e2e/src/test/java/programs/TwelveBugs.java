package programs;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;

/// The twelve classic bugs of MPI programs, on two ranks. The argument selects the bug. The labels in the
/// comments mark the lines for the test, which also compares the program with docs/mistakes.md.
public final class TwelveBugs {
    private TwelveBugs() {}

    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            switch (args[0]) {
                case "root" -> root(world);
                case "op" -> op(world);
                case "count" -> count(world);
                case "countbig" -> countBig(world);
                case "mix" -> mix(world);
                case "dtype" -> dtype(world);
                case "trunc" -> trunc(world);
                case "dead" -> dead(world);
                case "early" -> early(world);
                case "skip" -> skip(world);
                case "leak" -> leak(world);
                case "lost" -> lost(world);
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    private static void root(Comm world) {
        int[] data = {1, 2, 3, 4};
        if (world.rank() == 0) {
            world.bcast(buf(data), 0); // root: rank 0
        } else {
            world.bcast(buf(data), 1); // root: rank 1
        }
    }

    private static void op(Comm world) {
        int[] data = {1, 1, 1, 1};
        if (world.rank() == 0) {
            world.allreduce(buf(data), Op.SUM); // op: rank 0
        } else {
            world.allreduce(buf(data), Op.MAX); // op: rank 1
        }
    }

    private static void count(Comm world) {
        if (world.rank() == 0) {
            world.allreduce(buf(new int[4]), Op.SUM); // count: rank 0
        } else {
            world.allreduce(buf(new int[8]), Op.SUM); // count: rank 1
        }
    }

    private static void countBig(Comm world) {
        if (world.rank() == 0) {
            world.allreduce(buf(new int[20_000]), Op.SUM); // countbig: rank 0
        } else {
            world.allreduce(buf(new int[40_000]), Op.SUM); // countbig: rank 1
        }
    }

    private static void mix(Comm world) {
        if (world.rank() == 0) {
            world.barrier(); // mix: rank 0
        } else {
            world.allreduce(1, Op.SUM); // mix: rank 1
        }
    }

    private static void dtype(Comm world) {
        if (world.rank() == 0) {
            world.send(buf(new int[4]), 1, 3); // dtype: rank 0
        } else {
            world.recv(buf(new float[4]), 0, 3); // dtype: rank 1
        }
    }

    private static void trunc(Comm world) {
        if (world.rank() == 0) {
            world.send(buf(new int[16]), 1, 3); // trunc: rank 0
        } else {
            world.recv(buf(new int[4]), 0, 3); // trunc: rank 1
        }
    }

    private static void dead(Comm world) {
        int[] theirs = new int[1];
        if (world.rank() == 0) {
            world.recv(buf(theirs), 1); // dead: rank 0
            world.send(buf(new int[] {7}), 1);
        } else {
            world.recv(buf(theirs), 0); // dead: rank 1
            world.send(buf(new int[] {8}), 0);
        }
    }

    private static void early(Comm world) {
        if (world.rank() == 1) {
            world.recv(buf(new int[1]), 0); // early: rank 1
        }
    }

    private static void skip(Comm world) {
        if (world.rank() == 0) {
            world.allreduce(1, Op.SUM); // skip: rank 0
        }
        world.barrier(); // skip: rank 1
        if (world.rank() == 1) {
            world.barrier();
        }
    }

    @SuppressWarnings("resource") // one of the bugs
    private static void leak(Comm world) {
        OwnedComm copy = world.dup(); // leak: both ranks
        if (copy.rank() == 0) {
            copy.irecv(buf(new int[1]), 1, 77); // leak: rank 0
        }
    }

    private static void lost(Comm world) {
        if (world.rank() == 0) {
            world.send(buf(new int[1]), 1, 5); // lost: rank 0
        }
        world.barrier();
    }
}
