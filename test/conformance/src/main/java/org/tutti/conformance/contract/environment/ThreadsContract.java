package org.tutti.conformance.contract.environment;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Message;
import org.tutti.mpi.ObjectRequest;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;

/// Several threads of a rank at the same time, `MPI_THREAD_MULTIPLE`: MPI 4.1, section 11.6.
public final class ThreadsContract {
    private ThreadsContract() {}

    /// The work of the thread with number `index`.
    interface Work {
        void run(int index) throws Exception;
    }

    static void inThreads(int threads, ThreadFactory factory, Work work) throws InterruptedException {
        AtomicReference<@Nullable Throwable> first = new AtomicReference<>();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int index = i;
            all.add(factory.newThread(() -> {
                try {
                    work.run(index);
                } catch (Throwable t) {
                    first.compareAndSet(null, t);
                }
            }));
        }
        all.forEach(Thread::start);
        for (Thread t : all) {
            // other threads may be waiting for a thread that failed
            while (t.isAlive() && first.get() == null) t.join(20);
        }
        Throwable failure = first.get();
        if (failure != null) throw new AssertionError("a thread failed: " + failure, failure);
    }

    @Contract
    public static void twoHundredVirtualThreadsWithSeparateTags(Trial t) throws InterruptedException {
        inThreads(200, Thread.ofVirtual().factory(), i -> {
            int[] in = new int[1];
            for (int round = 0; round < 5; round++) {
                int value = 1000 * i + round;
                Status s = t.world().sendrecv(buf(new int[] {value}), t.right(), i, buf(in), t.left(), i);
                Check.same(value, in[0], "value for virtual thread " + i);
                Check.same(i, s.tag(), "tag for virtual thread " + i);
            }
        });
    }

    /// More virtual threads wait than there are carriers. The last threads to start send the messages.
    @Contract
    public static void virtualThreadsWaitForLaterThreads(Trial t) throws InterruptedException {
        int pairs = 40;
        inThreads(2 * pairs, Thread.ofVirtual().factory(), i -> {
            if (i < pairs) {
                int[] in = new int[1];
                t.world().recv(buf(in), t.left(), i);
                Check.same(i, in[0], "value");
            } else {
                t.world().send(buf(new int[] {i - pairs}), t.right(), i - pairs);
            }
        });
    }

    @Contract
    public static void virtualThreadsInSeparateBarriers(Trial t) throws InterruptedException {
        List<OwnedComm> comms = new ArrayList<>();
        for (int i = 0; i < 8; i++) comms.add(t.world().dup());
        inThreads(comms.size(), Thread.ofVirtual().factory(), i -> {
            Comm c = comms.get(i);
            for (int round = 0; round < 10; round++) {
                c.barrier();
                Check.same((long) t.size() * (i + round), c.allreduce(i + round, Op.SUM), "sum of virtual thread " + i);
            }
        });
        comms.forEach(OwnedComm::close);
    }

    @Contract
    public static void platformThreadsOnOneCommunicator(Trial t) throws InterruptedException {
        inThreads(4, Thread.ofPlatform().factory(), i -> {
            for (int round = 0; round < 50; round++) {
                int count = round % 10 == 9 ? 30_000 : 1 + round;
                int[] out = new int[count];
                out[0] = i;
                out[count - 1] = round + i;
                int[] in = new int[count];
                t.world().sendrecv(buf(out), t.right(), i, buf(in), t.left(), i);
                Check.same(out[0], in[0], "first value of thread " + i + ", round " + round);
                Check.same(out[count - 1], in[count - 1], "last value of thread " + i + ", round " + round);
            }
        });
    }

    @Contract
    public static void platformThreadsOnSeparateCommunicators(Trial t) throws InterruptedException {
        List<OwnedComm> comms = new ArrayList<>();
        for (int i = 0; i < 3; i++) comms.add(t.world().dup());
        inThreads(comms.size(), Thread.ofPlatform().factory(), i -> {
            Comm c = comms.get(i);
            double[] x = new double[500];
            for (int round = 0; round < 20; round++) {
                java.util.Arrays.fill(x, i);
                c.allreduce(buf(x), Op.SUM);
                Check.that(x[499] == (double) i * t.size(), "sum of thread " + i + " is " + x[499]);
                x[0] = c.rank() == 0 ? round : -1;
                c.bcast(buf(x), 0);
                Check.that(x[0] == round, "bcast of thread " + i + " is " + x[0]);
            }
        });
        comms.forEach(OwnedComm::close);
    }

    /// One thread waits in a receive while the other computes and sends.
    @Contract(minRanks = 2)
    public static void oneThreadWaitsWhileASecondSends(Trial t) throws InterruptedException {
        inThreads(2, Thread.ofPlatform().factory(), i -> {
            int[] in = new int[1];
            if (i == 0) {
                for (int k = 0; k < 30; k++) {
                    t.world().recv(buf(in), t.left(), 1);
                    Check.same(k, in[0], "message");
                }
            } else {
                for (int k = 0; k < 30; k++) {
                    if (k % 10 == 0) Thread.sleep(2);
                    t.world().send(buf(new int[] {k}), t.right(), 1);
                }
            }
        });
    }

    /// Several threads receive with wildcards, and get the messages of a sending thread in the order of sending
    /// (MPI 4.1, section 3.5).
    @Contract
    public static void severalThreadsReceiveInOrder(Trial t) throws InterruptedException {
        int threads = 3;
        int each = 40;
        AtomicIntegerArray seen = new AtomicIntegerArray(threads * each);
        inThreads(2 * threads, Thread.ofPlatform().factory(), i -> {
            int[] last = new int[threads];
            java.util.Arrays.fill(last, -1);
            for (int k = 0; k < each; k++) {
                if (i < threads) {
                    int[] out = new int[k % 10 == 9 ? 20_000 : 2];
                    out[0] = i;
                    out[1] = k;
                    t.world().send(buf(out), t.right(), 5);
                } else {
                    int[] in = new int[20_000];
                    t.world().recv(buf(in), Comm.ANY_SOURCE, Comm.ANY_TAG);
                    Check.that(in[1] > last[in[0]], "message " + in[1] + " after " + last[in[0]] + " of a thread");
                    last[in[0]] = in[1];
                    Check.same(1, seen.incrementAndGet(in[0] * each + in[1]), "receives of a message");
                }
            }
        });
    }

    /// A message that a thread has matched with a probe is not received by a different thread: each message is
    /// received completely and once.
    @Contract
    public static void severalThreadsProbeAndReceive(Trial t) throws InterruptedException {
        int threads = 4;
        int each = 25;
        AtomicIntegerArray seen = new AtomicIntegerArray(threads * each);
        inThreads(2 * threads, Thread.ofPlatform().factory(), i -> {
            for (int k = 0; k < each; k++) {
                if (i < threads) {
                    int[] out = new int[1 + 500 * (k % 20)];
                    out[0] = i * each + k;
                    t.world().send(buf(out), t.right(), 1 + k % 3);
                } else {
                    Message m = t.world().mprobe(Comm.ANY_SOURCE, Comm.ANY_TAG);
                    int[] in = new int[(int) m.status().count(Datatype.INT)];
                    Check.same(in.length, m.recv(buf(in)).count(), "count");
                    Check.same(1 + 500 * (in[0] % each % 20), in.length, "length of message " + in[0]);
                    Check.same(1, seen.incrementAndGet(in[0]), "receives of message " + in[0]);
                }
            }
        });
    }

    /// Buffered sends of several threads share the buffer space.
    @Contract
    public static void severalThreadsSendBuffered(Trial t) throws InterruptedException {
        inThreads(4, Thread.ofPlatform().factory(), i -> {
            int[] data = new int[10_000];
            for (int k = 0; k < 20; k++) {
                data[9_999] = 100 * i + k;
                t.world().bsend(buf(data), t.right(), i);
            }
            for (int k = 0; k < 20; k++) {
                t.world().recv(buf(data), t.left(), i);
                Check.same(100 * i + k, data[9_999], "value for thread " + i);
            }
        });
        t.mpi().flushBuffers();
    }

    /// Each thread waits for any of several requests.
    @Contract
    public static void severalThreadsAwaitAny(Trial t) throws InterruptedException {
        inThreads(20, Thread.ofVirtual().factory(), i -> {
            int[][] in = new int[3][1];
            try (Requests r = t.mpi().requests()) {
                for (int k = 0; k < 3; k++) r.add(t.world().irecv(buf(in[k]), t.left(), 3 * i + k));
                for (int k = 2; k >= 0; k--) t.world().ssend(buf(new int[] {i + k}), t.right(), 3 * i + k);
                int places = 0;
                for (int k = 0; k < 3; k++) places |= 1 << r.awaitAny().getAsInt();
                Check.same(7, places, "bits of the returned indexes");
            }
            for (int k = 0; k < 3; k++) Check.same(i + k, in[k][0], "value " + k);
        });
    }

    /// A request may be awaited by a thread other than the thread that started it.
    @Contract
    public static void requestsMayChangeThreads(Trial t) throws InterruptedException {
        int[] in = new int[1];
        var receive = t.world().irecv(buf(in), t.left(), 2);
        var send = t.world().isend(buf(new int[] {t.rank()}), t.right(), 2);
        inThreads(2, Thread.ofVirtual().factory(), i -> (i == 0 ? receive : send).await());
        Check.same(t.left(), in[0], "value");
    }

    /// A collective call uses memory that only the calling thread may access, first in a virtual thread, then
    /// while an object is awaited.
    @Contract
    public static void confinedMemory(Trial t) throws InterruptedException {
        inThreads(1, Thread.ofVirtual().factory(), i -> sumOfConfinedMemory(t));
        ObjectRequest<Integer> object = t.world().irecvObject(Integer.class, t.left(), 6);
        sumOfConfinedMemory(t);
        t.world().sendObject(t.rank(), t.right(), 6);
        Check.same(Integer.valueOf(t.left()), object.awaitObject(), "object");
    }

    private static void sumOfConfinedMemory(Trial t) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_LONG, t.rank(), 1);
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, 2);
            t.world().allreduce(buf(in, Datatype.LONG), buf(out, Datatype.LONG), Op.SUM);
            Check.same(t.size() * (t.size() - 1) / 2, out.getAtIndex(ValueLayout.JAVA_LONG, 0), "sum of ranks");
            Check.same(t.size(), out.getAtIndex(ValueLayout.JAVA_LONG, 1), "sum of ones");
        }
    }
}
