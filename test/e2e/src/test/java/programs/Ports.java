package programs;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Comparison;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Port;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Tutti;
import org.tutti.mpi.Window;

/// The program of each of two jobs that connect at a port: `serve SERVICE HOW TIMES` or
/// `connect SERVICE HOW TIMES`.
public final class Ports {
    /// A length that exceeds any ring.
    private static final int LARGE = 1 << 19;

    private Ports() {}

    public static void main(String[] args) throws Exception {
        if (args.length > 4) {
            Tutti.local(Integer.parseInt(args[4]), mpi -> side(mpi, args));
            return;
        }
        try (Mpi mpi = Mpi.init()) {
            side(mpi, args);
        }
    }

    private static void side(Mpi mpi, String[] args) throws Exception {
        Comm world = mpi.world();
        boolean serves = args[0].equals("serve");
        @Nullable Port port = serves && world.rank() == 0 ? Port.open(mpi) : null;
        if (port != null) {
            port.publish(args[1]);
            System.out.println("open " + port.name());
        }
        String name = serves || world.rank() > 0 ? null : lookup(mpi, args[1]);
        for (int i = 0; i < Integer.parseInt(args[3]); i++) {
            try {
                talk(mpi, serves, serves ? world.accept(port, 0) : world.connect(name, 0), args[2]);
            } catch (MpiException e) {
                System.out.println(world.rank() + ": " + e.errorClass() + " " + e.scope() + " " + e.getMessage());
            }
        }
        world.barrier(); // this job still works
        if (port != null) port.close();
    }

    private static String lookup(Mpi mpi, String service) throws InterruptedException {
        if (service.startsWith("tutti-port")) return service;
        while (true) {
            try {
                return Port.lookup(mpi, service);
            } catch (MpiException e) {
                if (!e.errorClass().equals(ErrorClass.ERR_NAME)) throw e;
                Thread.sleep(20); // not published yet
            }
        }
    }

    private static void talk(Mpi mpi, boolean serves, Intercomm both, String how) throws Exception {
        switch (how) {
            case "all" -> all(mpi, serves, both);
            case "halt" -> Runtime.getRuntime().halt(9);
            case "haltLast" -> {
                if (mpi.world().rank() == mpi.world().size() - 1) {
                    Runtime.getRuntime().halt(9);
                }
                mpi.world().barrier(); // waits until the launcher ends this rank
            }
            case "waitAny" -> {
                Request one = mpi.world().irecv(buf(new int[1]), 0, 7), other = both.irecv(buf(new int[1]), 0);
                try {
                    mpi.requests(one, other).awaitAny();
                } finally {
                    one.cancel();
                }
            }
            case "poll" -> {
                Request one = both.irecv(buf(new int[1]), 0);
                while (!one.test()) Thread.onSpinWait();
            }
            case "probe" -> {
                while (both.iprobe(0, 3) == null) Thread.onSpinWait();
            }
            case "all-reduce" -> both.allreduce(1, Op.SUM);
            case "leave" -> {
                return;
            }
            case "wait" -> {
                System.out.println("waits");
                both.recv(buf(new int[1]), 0);
            }
            case "mix" -> mix(mpi, both);
            case "greet" -> {
                System.out.println("greeted " + both.remoteSize());
                both.barrier();
            }
            case "disconnect" -> {
                // disconnects below
            }
            default -> throw new IllegalArgumentException(how);
        }
        both.disconnect();
    }

    private static void all(Mpi mpi, boolean serves, Intercomm both) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size(), remote = both.remoteSize();
        both.sendObject("from " + me, me % remote, 3);
        for (int r = 0; r < remote; r++) {
            if (r % n == me) check(both.recvObject(String.class, r, 3).equals("from " + r), "an object");
        }
        check(both.group().compare(world.group()) == Comparison.UNEQUAL, "groups are of other memory");
        check(world.group().intersection(both.remoteGroup()).size() == 0, "no common rank");
        try (OwnedComm all = both.merge(!serves)) {
            int size = n + remote;
            check(all.size() == size && all.rank() == (serves ? me : remote + me), "ranks");
            check(all.allreduce(all.rank(), Op.SUM) == size * (size - 1) / 2, "sum");
            double[] own = new double[LARGE], theirs = new double[LARGE];
            Arrays.fill(own, all.rank());
            all.allreduce(buf(own), buf(theirs), Op.SUM);
            check(theirs[LARGE - 1] == size * (size - 1) / 2.0, "long sum");
            ring(mpi, all, own, theirs);
            try (Window window = Window.allocate(all, Long.BYTES, Long.BYTES)) {
                window.fence();
                window.lock(0);
                window.accumulate(buf(new long[] {all.rank() + 1}), 0, 0, Op.SUM);
                window.unlock(0);
                window.fence();
                if (all.rank() == 0) {
                    check(window.at(0, 0).fetchAndOp(0L, Op.NO_OP) == size * (size + 1L) / 2, "window");
                }
                window.fence();
            }
        }
        if (me == 0) System.out.println((serves ? "served " : "connected with ") + remote);
    }

    /// Objects that belong to the two jobs cannot be combined with objects of one job.
    private static void mix(Mpi mpi, Intercomm both) {
        Comm world = mpi.world();
        refused(() -> world.group().union(both.remoteGroup()));
        refused(() -> mpi.createFromGroup(both.group(), "mixed"));
        try (OwnedComm all = both.merge(true)) {
            refused(() -> world.intercomm(0, all, all.rank() == 0 ? 1 : 0, 7));
            refused(() -> all.spawn(1, args -> {}));
        }
    }

    private static void refused(Runnable call) {
        try {
            call.run();
            throw new IllegalStateException("it went well");
        } catch (MpiException e) {
            System.out.println(e.errorClass() + " " + e.getMessage());
        }
    }

    /// While a rank waits for a rank of the same job, active calls with the other job continue, and vice versa.
    private static void ring(Mpi mpi, Comm all, double[] own, double[] theirs) {
        Comm world = mpi.world();
        int size = all.size(), left = (all.rank() + size - 1) % size;
        Request send = all.isend(buf(own), (all.rank() + 1) % size, 5), receive = all.irecv(buf(theirs), left, 5);
        world.barrier();
        int[] in = new int[1];
        int n = world.size(), before = (world.rank() + n - 1) % n;
        try (Requests several = mpi.requests(
                send,
                receive,
                world.isend(buf(new int[] {world.rank()}), (world.rank() + 1) % n, 9),
                world.irecv(buf(in), before, 9))) {
            int seen = 0;
            while (several.awaitAny().isPresent()) seen++;
            check(seen == several.size(), "requests of the two jobs are waited for together");
        }
        check(in[0] == before && theirs[7] == left, "rings");
    }

    private static void check(boolean holds, String text) {
        if (!holds) throw new IllegalStateException(text);
    }
}
