package org.tutti.coll;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;
import org.tutti.spi.Allocator;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Communicators;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineInfo;
import org.tutti.spi.Fault;
import org.tutti.spi.JobControl;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Memory;
import org.tutti.spi.Power;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;

/// Ranks in one thread: messages match in order per (source, destination, tag), at a time drawn from a seed. A
/// test therefore covers many interleavings, can repeat each of them, and detects a deadlock immediately, when
/// no message is left to deliver.
final class FakeNetwork {
    private record Key(int source, int destination, int tag) {}

    private static final class Line {
        final ArrayDeque<FakeTransfer> sends = new ArrayDeque<>();
        final ArrayDeque<FakeTransfer> receives = new ArrayDeque<>();
    }

    private final SplittableRandom random;
    /// Whether a send copies the data and is complete before the match; otherwise it is complete at the match,
    /// as in rendezvous.
    private final boolean eager;

    private final Map<Key, Line> lines = new HashMap<>();
    /// The lines with messages to deliver. Each line occurs once per matched pair of a send and a receive.
    private final List<Line> ready = new ArrayList<>();

    final List<FakeEngine> engines = new ArrayList<>();

    FakeNetwork(int size, boolean eager, long seed) {
        this.random = new SplittableRandom(seed);
        this.eager = eager;
        for (int rank = 0; rank < size; rank++) engines.add(new FakeEngine(this, rank, size));
    }

    /// Runs the runners to completion, in random order.
    void drive(List<ScheduleRunner> runners) {
        List<ScheduleRunner> left = new ArrayList<>(runners);
        while (!left.isEmpty()) {
            boolean moved = deliverOne();
            int before = left.size();
            if (moved) {
                ScheduleRunner one = left.get(random.nextInt(left.size()));
                if (one.advance()) left.remove(one);
            } else {
                left.removeIf(ScheduleRunner::advance);
                if (left.size() == before && ready.isEmpty())
                    throw new AssertionError("deadlock: " + before + " ranks wait");
            }
        }
    }

    int undelivered() {
        int count = 0;
        for (Line line : lines.values()) count += line.sends.size() + line.receives.size();
        return count;
    }

    void start(FakeTransfer message) {
        message.begin();
        int me = message.port().rank();
        boolean send = message.kind == Transfer.Kind.SEND;
        if (message.lane != Transfer.Lane.COLLECTIVE || message.call == null) throw new AssertionError("wrong lane");
        Key key = send ? new Key(me, message.peer, message.tag) : new Key(message.peer, me, message.tag);
        Line line = lines.computeIfAbsent(key, k -> new Line());
        if (send) {
            message.payload = message.bytes();
            if (eager) {
                FakeTransfer copy = new FakeTransfer();
                copy.payload = message.payload.clone();
                copy.type = message.type;
                message.complete();
                line.sends.add(copy);
            } else {
                line.sends.add(message);
            }
        } else {
            line.receives.add(message);
        }
        if (Math.min(line.sends.size(), line.receives.size()) > 0
                && (send ? line.sends.size() <= line.receives.size() : line.receives.size() <= line.sends.size())) {
            ready.add(line);
        }
    }

    private boolean deliverOne() {
        if (ready.isEmpty()) return false;
        Line line = ready.remove(random.nextInt(ready.size()));
        FakeTransfer send = line.sends.remove();
        FakeTransfer receive = line.receives.remove();
        // A rendezvous sends the content at the time of the match, so that the test detects a buffer that is
        // changed too early.
        byte[] payload = eager ? send.payload : send.bytes();
        if (send.type != receive.type) throw new AssertionError(send.type + " met " + receive.type);
        if (payload.length > receive.lengthBytes) {
            receive.fail(Fault.message(
                    PredefinedErrorClass.ERR_TRUNCATE,
                    receive.operation,
                    payload.length + " bytes do not fit",
                    receive.port()));
        } else {
            receive.receivedBytes = payload.length;
            MemorySegment.copy(
                    MemorySegment.ofArray(payload), 0, receive.memory.segment(), receive.offsetBytes, payload.length);
            receive.complete();
        }
        if (!eager) send.complete();
        return true;
    }

    static final class FakeTransfer extends Transfer {
        byte[] payload = new byte[0];

        byte[] bytes() {
            byte[] copy = new byte[(int) lengthBytes];
            MemorySegment.copy(memory.segment(), offsetBytes, MemorySegment.ofArray(copy), 0, lengthBytes);
            return copy;
        }
    }

    static final class FakeCollective extends Collective {}

    static final class FakePort extends CommPort {
        FakePort(int rank, int size) {
            super(rank, size, "WORLD");
        }

        @Override
        public int worldRank(int rank) {
            return rank;
        }
    }

    /// The part of an engine that a schedule needs.
    static final class FakeEngine implements Engine {
        private final FakeNetwork network;
        private final FakePort world;

        /// The exception that the next [#start] throws.
        @Nullable
        RuntimeException poison;

        final List<FakeTransfer> made = new ArrayList<>();

        FakeEngine(FakeNetwork network, int rank, int size) {
            this.network = network;
            this.world = new FakePort(rank, size);
        }

        @Override
        public void start(Activity activity) {
            if (poison != null) throw poison;
            network.start((FakeTransfer) activity);
        }

        @Override
        public Transfer transfer() {
            FakeTransfer message = new FakeTransfer();
            made.add(message);
            return message;
        }

        @Override
        public Collective collective() {
            return new FakeCollective();
        }

        FakePort world() {
            return world;
        }

        @Override
        public EngineInfo info() {
            return new EngineInfo("fake", "fake", "fake", 32767, true);
        }

        @Override
        public Communicators communicators() {
            throw new AssertionError();
        }

        @Override
        public JobControl job() {
            throw new AssertionError();
        }

        @Override
        public <P extends Power> @Nullable P power(Class<P> kind) {
            return null;
        }

        @Override
        public boolean test(Activity activity) {
            throw new AssertionError("a runner that tests would enter the engine again");
        }

        @Override
        public void await(Activity activity) {
            throw new AssertionError("a runner never blocks");
        }

        @Override
        public void run(Activity activity) {
            throw new AssertionError("a runner never blocks");
        }

        @Override
        public void cancel(Transfer receive) {
            throw new AssertionError();
        }

        @Override
        public boolean probe(Transfer pattern, boolean wait, boolean take) {
            throw new AssertionError();
        }

        @Override
        public void await(LocalWait wait) {
            throw new AssertionError();
        }

        @Override
        public int awaitAny(Activity[] activities, int count) {
            throw new AssertionError();
        }

        @Override
        public Allocator allocator() {
            throw new AssertionError();
        }
    }

    static Memory heap(long[] array) {
        return Memory.of(MemorySegment.ofArray(array));
    }
}
