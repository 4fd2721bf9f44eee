package org.tutti.bench.osu;

import static java.util.Objects.requireNonNull;
import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.Data;
import org.tutti.bench.measure.Pattern;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.plan.Storage;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.ObjectRequest;
import org.tutti.mpi.Requests;

/// A window of messages to the peer, all in flight at the same time, followed by an answer from the peer; in
/// bidirectional tests, each rank sends a window. As in OSU's tests, all messages of a window use one send
/// buffer and one receive buffer.
final class Stream implements MessageExchange {
    private static final int TAG = 1;
    private static final int ANSWER_BYTES = 4;

    private final Mpi mpi;
    private final Comm world;
    private final int peer, window;
    private final boolean sends, receives;
    private final Messages messages;
    private final Buf answer = buf(new byte[ANSWER_BYTES]);

    /// How a message is sent, received and verified.
    private interface Messages {
        void send(Requests requests);

        void receive(Requests requests);

        void prepare();

        long wrong();
    }

    private Stream(Mpi mpi, BenchOptions options, int peer, boolean first, boolean bothWays, Messages messages) {
        this.mpi = mpi;
        this.world = mpi.world();
        this.peer = peer;
        this.window = options.window();
        this.sends = first || bothWays;
        this.receives = !first || bothWays;
        this.messages = messages;
    }

    static MessageExchange of(
            BenchMemory memory, BenchOptions options, int peer, long bytes, boolean first, boolean bothWays) {
        Messages messages = options.storage() == Storage.OBJECT
                ? new Objects(memory.mpi().world(), peer, Math.toIntExact(bytes))
                : buffers(memory, options, peer, bytes / options.type().bytes());
        return new Stream(memory.mpi(), options, peer, first, bothWays, messages);
    }

    private static Messages buffers(BenchMemory memory, BenchOptions options, int peer, long count) {
        Data out = memory.data(options.type(), count);
        Data in = memory.data(options.type(), count);
        return new Buffers(memory.mpi().world(), peer, out, in, out.buf(), in.buf());
    }

    @Override
    public void run(int times) {
        for (int i = 0; i < times; i++) {
            try (Requests requests = mpi.requests()) {
                if (receives) for (int w = 0; w < window; w++) messages.receive(requests);
                if (sends) for (int w = 0; w < window; w++) messages.send(requests);
                requests.awaitAll();
            }
            if (sends && receives) continue;
            if (sends) world.recv(answer, peer, TAG);
            else world.send(answer, peer, TAG);
        }
    }

    @Override
    public long wrong() {
        messages.prepare();
        run(1);
        return receives ? messages.wrong() : 0;
    }

    private record Buffers(Comm world, int peer, Data sent, Data received, Buf out, Buf in) implements Messages {
        @Override
        public void send(Requests requests) {
            requests.add(world.isend(out, peer, TAG));
        }

        @Override
        public void receive(Requests requests) {
            requests.add(world.irecv(in, peer, TAG));
        }

        @Override
        public void prepare() {
            sent.fill(Pattern.of(world.rank()));
            received.fill(Pattern.NOTHING);
        }

        @Override
        public long wrong() {
            return received.wrong(0, received.count(), Pattern.of(peer));
        }
    }

    private static final class Objects implements Messages {
        private final Comm world;
        private final int peer;
        private final byte[] value;

        /// The receives of an exchange that is verified; null during a measurement.
        private @Nullable List<ObjectRequest<byte[]>> verified;

        Objects(Comm world, int peer, int bytes) {
            this.world = world;
            this.peer = peer;
            value = Pattern.bytes(world.rank(), bytes);
        }

        @Override
        public void send(Requests requests) {
            requests.add(world.isendObject(value, peer, TAG));
        }

        @Override
        public void receive(Requests requests) {
            ObjectRequest<byte[]> receive = world.irecvObject(byte[].class, peer, TAG);
            if (verified != null) verified.add(receive);
            requests.add(receive);
        }

        @Override
        public void prepare() {
            verified = new ArrayList<>();
        }

        @Override
        public long wrong() {
            byte[] expected = Pattern.bytes(peer, value.length);
            long wrong = 0;
            for (ObjectRequest<byte[]> r : requireNonNull(verified)) {
                if (!Arrays.equals(expected, r.awaitObject())) wrong++;
            }
            verified = null;
            return wrong;
        }
    }
}
