package programs;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;

/// Random bcasts of all lengths, blocking and nonblocking, from arrays and from the job's memory, mixed with
/// reductions, on three communicators. Roots run ahead of other ranks, and each rank checks all received data.
/// Arguments: the seed and the number of calls.
final class RootedCalls {
    private static final int[] LENGTHS = {
        0, 1, 8, 24, 25, 100, 1000, 8192, 8193, 32768, 32769, 65536, 131072, 131073, 262168, 300000, 1000000
    };
    private static final int MOST_PENDING = 40;

    private RootedCalls() {}

    public static void main(String[] args) {
        long seed = Long.parseLong(args[0]);
        int calls = Integer.parseInt(args[1]);
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            try (OwnedComm dup = world.dup();
                    OwnedComm half = world.split(world.rank() % 2, world.rank())) {
                Comm[] comms = {world, dup, half};
                MemorySegment shared = mpi.alloc(LENGTHS[LENGTHS.length - 1]);
                Random same = new Random(seed), own = new Random(31 * seed + world.rank());
                List<Runnable> pending = new ArrayList<>();
                for (int i = 0; i < calls; i++) {
                    Comm comm = comms[same.nextInt(comms.length)];
                    int length = LENGTHS[same.nextInt(LENGTHS.length)];
                    int root = same.nextInt(world.size()) % comm.size();
                    byte value = (byte) same.nextInt();
                    int kind = same.nextInt(8);
                    if (kind < 3) bcast(comm, root, length, value, own.nextBoolean() ? shared : null);
                    else if (kind < 5) pending.add(ibcast(comm, root, length, value));
                    else if (kind < 7) reduce(comm, root, Math.min(length / 8, 1000), value, kind == 5);
                    if (kind == 7 || pending.size() > MOST_PENDING) {
                        Collections.shuffle(pending, own);
                        pending.forEach(Runnable::run);
                        pending.clear();
                    }
                }
                pending.forEach(Runnable::run);
            }
        }
        System.out.println("right");
    }

    private static byte[] filled(Comm comm, int root, int length, byte value) {
        byte[] data = new byte[length];
        Arrays.fill(data, comm.rank() == root ? value : (byte) ~value);
        return data;
    }

    private static void check(byte[] data, byte value, String operation) {
        for (int i = 0; i < data.length; i++) {
            if (data[i] != value) throw new AssertionError(operation + " of " + data.length + " bytes: place " + i);
        }
    }

    private static void bcast(Comm comm, int root, int length, byte value, MemorySegment shared) {
        byte[] data = filled(comm, root, length, value);
        if (shared == null) {
            comm.bcast(buf(data), root);
        } else {
            MemorySegment part = shared.asSlice(0, length).copyFrom(MemorySegment.ofArray(data));
            comm.bcast(Buf.buf(part), root);
            data = part.toArray(ValueLayout.JAVA_BYTE);
            part.fill((byte) 0);
        }
        check(data, value, "bcast");
    }

    private static Runnable ibcast(Comm comm, int root, int length, byte value) {
        byte[] data = filled(comm, root, length, value);
        Request request = comm.ibcast(buf(data), root);
        return () -> {
            request.await();
            check(data, value, "ibcast");
        };
    }

    private static void reduce(Comm comm, int root, int length, byte value, boolean all) {
        long[] mine = new long[length], sum = new long[length];
        Arrays.fill(mine, value + comm.rank());
        if (all) comm.allreduce(buf(mine), buf(sum), Op.SUM);
        else comm.reduce(buf(mine), buf(sum), Op.SUM, root);
        if (!all && comm.rank() != root) return;
        long n = comm.size();
        for (long is : sum) if (is != n * value + n * (n - 1) / 2) throw new AssertionError("a sum is " + is);
    }
}
