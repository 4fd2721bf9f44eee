package programs;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Tutti;

/// Thousands of virtual threads, each of which exchanges messages with one thread of the other rank:
/// `Swarm THREADS [local]`. With `local`, the two ranks are threads of this JVM and share the carriers.
public final class Swarm {
    private static final int ROUNDS = 2;

    private Swarm() {}

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        if (args.length > 1) {
            Tutti.local(2, mpi -> exchange(mpi, threads));
            return;
        }
        try (Mpi mpi = Mpi.init()) {
            exchange(mpi, threads);
        }
    }

    private static void exchange(Mpi mpi, int count) throws InterruptedException {
        Comm world = mpi.world();
        AtomicInteger done = new AtomicInteger();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            // the first threads of one rank communicate with the last threads of the other rank
            int tag = world.rank() == 0 ? i : count - 1 - i;
            threads.add(Thread.ofVirtual().start(() -> {
                try {
                    exchange(world, tag);
                    done.incrementAndGet();
                } catch (Throwable t) {
                    failure.compareAndSet(null, t);
                }
            }));
        }
        for (Thread t : threads) while (t.isAlive() && failure.get() == null) t.join(100);
        Throwable why = failure.get();
        if (why != null) throw new AssertionError("a thread failed: " + why, why);
        System.out.println("rank " + world.rank() + ": " + done + " threads on "
                + System.getProperty("jdk.virtualThreadScheduler.maxPoolSize") + " carrier, engine "
                + mpi.engineName());
    }

    private static void exchange(Comm world, int tag) {
        int other = 1 - world.rank();
        int[] out = new int[1];
        int[] in = new int[1];
        for (int round = 0; round < ROUNDS; round++) {
            out[0] = 3 * tag + round;
            if (tag % 2 == 0) {
                world.sendrecv(buf(out), other, tag, buf(in), other, tag);
            } else if (world.rank() == 0) {
                world.send(buf(out), other, tag);
                world.recv(buf(in), other, tag);
            } else {
                world.recv(buf(in), other, tag);
                world.send(buf(out), other, tag);
            }
            if (in[0] != out[0]) throw new AssertionError("thread " + tag + " received " + in[0]);
        }
    }
}
