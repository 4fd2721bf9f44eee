package programs;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.Window;

/// Messages of 1 MiB and reductions, before and after a request for more memory than is available:
/// `Narrow BYTES`. Each rank prints the results of `mpi.alloc` and of a window with this number of bytes.
public final class Narrow {
    private Narrow() {}

    public static void main(String[] args) {
        long bytes = Long.parseLong(args[0]);
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            messages(world);
            String memory = tried(() -> mpi.alloc(bytes));
            world.barrier();
            String window = tried(() -> Window.allocate(world, bytes).close());
            messages(world);
            if (world.rank() == 0) System.out.println("alloc: " + memory + "\nwindow: " + window);
        }
    }

    private static String tried(Runnable call) {
        try {
            call.run();
            return "given";
        } catch (MpiException e) {
            if (e.errorClass() != ErrorClass.ERR_NO_MEM) throw e;
            return String.valueOf(e.getMessage());
        }
    }

    private static void messages(Comm world) {
        int n = world.size(), me = world.rank(), right = (me + 1) % n, left = (me + n - 1) % n;
        byte[] out = new byte[1 << 20], in = new byte[1 << 20];
        out[out.length - 1] = (byte) me;
        world.sendrecv(buf(out), right, 0, buf(in), left, 0);
        if (in[in.length - 1] != (byte) left) throw new AssertionError("from " + left + ": " + in[in.length - 1]);
        int sum = world.allreduce(me, Op.SUM);
        if (sum != n * (n - 1) / 2) throw new AssertionError("sum=" + sum);
    }
}
