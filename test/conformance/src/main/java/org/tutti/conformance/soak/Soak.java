package org.tutti.conformance.soak;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.tutti.conformance.trial.Check;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.Requests;

/// The messages that this rank sends and receives.
///
/// Every second rank uses one thread with nonblocking calls, which waits for any of the active requests. The
/// other ranks use one thread per destination and one receiving thread, and also make blocking calls.
final class Soak {
    private final Mpi mpi;
    private final long seed;
    private final long total;
    private final int perPair;
    private final Template template;
    private final SplittableRandom own;
    private final List<Outgoing> outgoing = new ArrayList<>();
    private final Incoming incoming;

    /// @param total minimum number of messages of the whole job
    Soak(Mpi mpi, long seed, long total) {
        this.mpi = mpi;
        this.seed = seed;
        this.total = total;
        long pairs = (long) size() * size();
        perPair = Math.toIntExact((total + pairs - 1) / pairs);
        template = new Template(mpi, seed);
        own = random(size());
        for (int dest = 0; dest < size(); dest++) outgoing.add(new Outgoing(this, dest));
        incoming = new Incoming(this);
    }

    Mpi mpi() {
        return mpi;
    }

    int me() {
        return mpi.world().rank();
    }

    int size() {
        return mpi.world().size();
    }

    Template template() {
        return template;
    }

    MessageSequence sequence(int source, int dest) {
        return new MessageSequence(seed, source, dest, perPair);
    }

    /// Returns the generator for the random choices of this rank in part `part` of the test.
    SplittableRandom random(int part) {
        return new SplittableRandom(((seed * 1_000_003 + me()) * 1_000_003 + part) * 31);
    }

    AssertionError failure(int source, MessageSequence.SoakMessage message, String problem) {
        return new AssertionError("soak, seed " + seed + ": rank " + me() + " of " + size() + ": " + message
                + " from rank " + source + ", " + problem + "\n  again with: ./tutti run -n " + size()
                + " -cp test/conformance/target/classes " + SoakMain.class.getName() + " " + seed + " " + total);
    }

    /// Sends and receives all messages, compares the totals of all ranks, and returns a summary.
    String run() throws InterruptedException {
        mpi.world().barrier();
        double start = Mpi.wtime();
        if (Math.floorMod(seed + me(), 2) == 0) runInOneThread();
        else runInThreads();
        mpi.flushBuffers();
        Tally all = new Tally();
        for (Outgoing out : outgoing) all.add(out.sent());
        long[] sent = all.values();
        long[] received = incoming.received().values();
        mpi.world().allreduce(buf(sent), Op.SUM);
        mpi.world().allreduce(buf(received), Op.SUM);
        double seconds = Mpi.wtime() - start;
        Check.same((long) perPair * size() * size(), sent[0], "messages sent");
        Check.same(sent[0], received[0], "messages received");
        Check.same(sent[1], received[1], "bytes received");
        Check.same(sent[2], received[2], "checksum of the received messages");
        return "%d messages, %d MB in %.1f s, %.0f MB/s, seed %d"
                .formatted(received[0], received[1] / 1_000_000, seconds, received[1] / 1e6 / seconds, seed);
    }

    private void runInThreads() throws InterruptedException {
        List<Thread> senders = new ArrayList<>();
        for (Outgoing out : outgoing) senders.add(Thread.ofPlatform().start(out::run));
        incoming.run();
        for (Thread t : senders) t.join();
    }

    private void runInOneThread() {
        while (true) {
            boolean moved = false;
            boolean done = true;
            for (Outgoing out : outgoing) {
                moved |= out.move();
                done &= out.isDone();
            }
            moved |= incoming.move();
            if (done && incoming.isDone()) return;
            if (!moved) await();
        }
    }

    private void await() {
        Requests waiting = mpi.requests();
        for (Outgoing out : outgoing) out.addTo(waiting);
        if (!incoming.addTo(waiting) || waiting.size() == 0) Thread.yield();
        else if (own.nextBoolean()) waiting.awaitAny();
        else waiting.awaitSome();
    }
}
