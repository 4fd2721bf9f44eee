package programs;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;
import org.tutti.mpi.Window;

/// Four ranks, of which rank 3 is delayed repeatedly, and messages of every kind. The labels in the comments
/// mark the lines for the test.
public final class Profiled {
    private static final int TIMES = 5, PAUSE_MILLIS = 250, MESSAGES = 20, LARGE = 1 << 18;

    private static Comm world;
    private static int me;
    private static int ranks;

    private Profiled() {}

    public static void main(String[] args) throws Exception {
        try (Mpi mpi = Mpi.init()) {
            world = mpi.world();
            me = world.rank();
            ranks = world.size();
            world.barrier();
            if (args[0].equals("delayed")) delayed();
            if (args[0].equals("messages")) messages(mpi);
            if (args[0].equals("windows")) windows();
            if (args[0].equals("files")) files(args[1]);
            if (args[0].equals("fails")) {
                world.allreduce(me, Op.SUM); // fails: before
                if (me == 1) throw new IllegalStateException("rank 1 has a bug");
                world.barrier(); // fails: waits
            }
            if (args[0].equals("waits")) {
                Thread caller = Thread.currentThread();
                Thread.ofPlatform().daemon().start(() -> printPidInCall(caller));
                world.recv(buf(new int[1]), me); // waits
            }
        }
    }

    private static void windows() {
        try (Window w = Window.allocate(world, 1 << 20)) {
            w.lockAll();
            for (int i = 0; i < MESSAGES; i++) w.put(buf(new byte[LARGE]), (me + 1) % ranks); // puts
            w.at(0, 0).fetchAndAdd(1); // fetches
            w.unlockAll();
        }
    }

    private static void files(String path) {
        try (MpiFile file = MpiFile.open(world, path, MpiFile.Mode.CREATE, MpiFile.Mode.RDWR)) {
            byte[] bytes = new byte[LARGE];
            for (int i = 0; i < MESSAGES; i++) file.writeAt((long) me * LARGE, buf(bytes)); // writes
            file.iwriteAt((long) me * LARGE, buf(bytes)).await(); // starts
            file.readAt(0, buf(bytes)); // reads
        }
        if (me == 1) throw new IllegalStateException("to see the last operations");
        world.barrier();
    }

    private static void delayed() throws InterruptedException {
        int[] sum = new int[1000];
        for (int i = 0; i < TIMES; i++) {
            world.barrier();
            if (me == ranks - 1) Thread.sleep(PAUSE_MILLIS);
            world.allreduce(buf(sum), Op.MAX); // delayed
        }
        for (int i = 0; i < TIMES; i++) {
            world.barrier();
            if (me == 0) world.recv(buf(sum), ranks - 1, 7); // awaits
            if (me < ranks - 1) continue;
            Thread.sleep(PAUSE_MILLIS);
            world.send(buf(sum), 0, 7); // sends
        }
        if (me == ranks - 1) collect();
        world.barrier(); // collects
    }

    private static void printPidInCall(Thread caller) {
        while (Arrays.stream(caller.getStackTrace())
                .noneMatch(frame -> frame.getClassName().endsWith(".ShmEngine"))) {
            Thread.onSpinWait();
        }
        System.out.println("ready " + me + " " + ProcessHandle.current().pid());
    }

    /// Creates enough garbage to make a collection slow.
    private static void collect() {
        Object[] garbage = new Object[1 << 19];
        for (int i = 0; i < garbage.length; i++) garbage[i] = new long[2];
        System.gc();
        if (garbage[me] == null) throw new AssertionError();
    }

    private static void messages(Mpi mpi) throws InterruptedException {
        int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
        // two messages with the same envelope, awaited in reverse order
        try (Requests all = mpi.requests()) {
            int[] first = new int[1], second = new int[LARGE];
            Request a = all.add(world.irecv(buf(first), left, 1));
            Request b = all.add(world.irecv(buf(second), left, 1));
            all.add(world.isend(buf(new int[] {me}), right, 1));
            all.add(world.isend(buf(new int[LARGE]), right, 1));
            b.await();
            a.await(); // found last
            all.awaitAll();
        }
        // from any source, with any tag
        for (int i = 0; i < MESSAGES; i++) {
            if (me > 0) world.send(buf(new int[i]), 0, 100 + i);
            for (int r = 1; me == 0 && r < ranks; r++) world.recv(buf(new int[MESSAGES]), Comm.ANY_SOURCE, 100 + i);
        }
        world.barrier();
        // the probe matches the first of two messages; the second message is received before it
        if (me == 1) {
            world.send(buf(new int[1]), 0, 5);
            world.send(buf(new int[2]), 0, 5);
        }
        if (me == 0) {
            var taken = world.mprobe(1, 5);
            Status second = world.recv(buf(new int[2]), 1, 5);
            Status first = taken.recv(buf(new int[1]));
            if (first.count() != 1 || second.count() != 2) throw new AssertionError();
        }
        world.sendObject("hello", right, 3);
        world.recvObject(String.class, left, 3);
        try (OwnedComm half = world.split(me % 2, me)) {
            half.sendrecv(buf(new long[8]), half.size() - 1 - half.rank(), 0, buf(new long[8]), Comm.ANY_SOURCE, 0);
        }
        Thread other = Thread.ofPlatform().name("the \"other\" one").start(() -> {
            world.isend(buf(new int[1]), right, 9).await();
        });
        Request polled = world.irecv(buf(new int[1]), left, 9);
        while (!polled.test()) Thread.onSpinWait();
        other.join();
        world.ibarrier().await();
    }
}
