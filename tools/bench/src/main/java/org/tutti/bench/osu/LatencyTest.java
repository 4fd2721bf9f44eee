package org.tutti.bench.osu;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.Data;
import org.tutti.bench.measure.Pattern;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.plan.BufferElement;
import org.tutti.bench.plan.Storage;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Mpi;

/// A message to the peer and a message back.
final class LatencyTest {
    private static final int TAG = 1;

    /// The number of columns of the matrix, and the positions of the column that is sent and of the column that
    /// is received.
    private static final int COLUMNS = 1000, OUT_COLUMN = 3, IN_COLUMN = 7;

    private LatencyTest() {}

    static MessageExchange of(BenchMemory memory, BenchOptions options, int peer, boolean first, long bytes) {
        if (options.storage() == Storage.OBJECT) {
            return new OfObjects(memory.mpi().world(), peer, first, new byte[Math.toIntExact(bytes)], byte[].class);
        }
        long count = bytes / options.type().bytes();
        Data out = memory.data(options.type(), count);
        Data in = memory.data(options.type(), count);
        return new OfBuffers(memory.mpi().world(), peer, first, out.buf(), in.buf(), out, in);
    }

    /// Sends one column of a matrix of doubles with 1000 columns, described by a vector type. The size of the
    /// column is the message size.
    static MessageExchange ofColumn(BenchMemory memory, BenchOptions options, int peer, boolean first, long bytes) {
        int rows = Math.toIntExact(bytes / Double.BYTES);
        Datatype column = Datatype.DOUBLE.vector(rows, 1, COLUMNS);
        Data out = memory.data(BufferElement.DOUBLE, (long) rows * COLUMNS);
        Data in = memory.data(BufferElement.DOUBLE, (long) rows * COLUMNS);
        return new OfBuffers(
                memory.mpi().world(),
                peer,
                first,
                column(out.memory(), OUT_COLUMN, column),
                column(in.memory(), IN_COLUMN, column),
                out,
                in);
    }

    private static Buf column(MemorySegment matrix, int index, Datatype column) {
        return buf(matrix, (long) index * Double.BYTES, 1, column);
    }

    /// Sends the same small map as benchmarks in other languages.
    static MessageExchange ofMap(Mpi mpi, int peer, boolean first) {
        return new OfObjects(mpi.world(), peer, first, Map.of("a", 7, "b", 3.14), Map.class);
    }

    private record OfBuffers(Comm comm, int peer, boolean first, Buf out, Buf in, Data sent, Data received)
            implements MessageExchange {
        @Override
        public void run(int times) {
            Comm world = comm;
            int other = peer;
            Buf send = out, recv = in;
            if (first) {
                for (int i = 0; i < times; i++) {
                    world.send(send, other, TAG);
                    world.recv(recv, other, TAG);
                }
            } else {
                for (int i = 0; i < times; i++) {
                    world.recv(recv, other, TAG);
                    world.send(send, other, TAG);
                }
            }
        }

        @Override
        public long wrong() {
            sent.fill(Pattern.of(comm.rank()));
            received.fill(Pattern.NOTHING);
            run(1);
            if (out.datatype().isPredefined()) return received.wrong(0, received.count(), Pattern.of(peer));
            long wrong = 0;
            for (long row = 0; row < received.count() / COLUMNS; row++) {
                long from = row * COLUMNS;
                wrong += received.wrong(
                        from + IN_COLUMN, 1, i -> Pattern.of(peer).applyAsLong(from + OUT_COLUMN));
            }
            return wrong;
        }
    }

    private record OfObjects(Comm comm, int peer, boolean first, Object value, Class<?> type)
            implements MessageExchange {
        @Override
        public void run(int times) {
            Comm world = comm;
            int other = peer;
            if (first) {
                for (int i = 0; i < times; i++) {
                    world.sendObject(value, other, TAG);
                    world.recvObject(type, other, TAG);
                }
            } else {
                for (int i = 0; i < times; i++) {
                    world.recvObject(type, other, TAG);
                    world.sendObject(value, other, TAG);
                }
            }
        }

        @Override
        public long wrong() {
            Object arrived;
            if (first) {
                comm.sendObject(sent(comm.rank()), peer, TAG);
                arrived = comm.recvObject(type, peer, TAG);
            } else {
                arrived = comm.recvObject(type, peer, TAG);
                comm.sendObject(sent(comm.rank()), peer, TAG);
            }
            return Objects.deepEquals(arrived, sent(peer)) ? 0 : 1;
        }

        private Object sent(int rank) {
            return value instanceof byte[] bytes ? Pattern.bytes(rank, bytes.length) : value;
        }
    }
}
