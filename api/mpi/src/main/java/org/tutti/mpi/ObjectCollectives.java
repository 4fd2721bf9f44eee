package org.tutti.mpi;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.object.CodecException;
import org.tutti.mpi.object.ObjectCodec;
import org.tutti.mpi.object.ObjectRoom;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.BlockLayout;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.Collective.Neighbors;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.type.ElementType;

/// Collective operations of objects, composed of collective operations of bytes: first the lengths, then the
/// objects. The first message of a broadcast contains two lengths, and the object if it is short:
///
///     0               8              16
///     |  all bytes    |  head bytes  |  the object, if it has at most SLOT_BYTES - 16 …
///
/// All calls have type [ElementType#OBJECT], so that objects do not match typed data.
final class ObjectCollectives {
    private static final long ALL = 0, HEAD = 8, INLINE = 16;
    private static final long LENGTH_BYTES = 8;

    private final Mpi mpi;
    private final CommPort port;
    private final CollectiveChecks check;

    ObjectCollectives(Mpi mpi, CommPort port) {
        this.mpi = mpi;
        this.port = port;
        check = new CollectiveChecks(port);
    }

    <T> @Nullable T bcast(EngineCalls engine, ObjectType<T> type, @Nullable T value, int askedRoot) {
        int root = check.root("bcastObject", askedRoot);
        if (port.isInter()) return bcastBetween(engine, type, value, root);
        Scratch scratch = mpi.scratch();
        ObjectCodec codec = scratch.codec();
        ObjectRoom room = scratch.room();
        MemorySegment slot = scratch.slot();
        boolean atRoot = port.rank() == root;
        if (atRoot) {
            checkIs(type, value);
            long all = encoded("bcastObject", () -> codec.encode(value));
            slot.set(JAVA_LONG_UNALIGNED, ALL, all);
            slot.set(JAVA_LONG_UNALIGNED, HEAD, codec.headBytes());
            if (all <= Scratch.SLOT_BYTES - INLINE) MemorySegment.copy(codec.first(), 0, slot, INLINE, all);
        }
        bcast(engine, slot, Scratch.SLOT_BYTES, root);
        long all = slot.get(JAVA_LONG_UNALIGNED, ALL);
        long head = slot.get(JAVA_LONG_UNALIGNED, HEAD);
        boolean inSlot = all <= Scratch.SLOT_BYTES - INLINE;
        if (atRoot) {
            if (!inSlot) {
                bcast(engine, codec.head(), head, root);
                for (MemorySegment array : codec.arrays()) bcast(engine, array, array.byteSize(), root);
            }
            codec.release();
            return value;
        }
        if (inSlot)
            return decoded("bcastObject", root, () -> type.checked(codec.decode(slot, INLINE, all, type.raw())));
        bcast(engine, room.begin(all, head), head, root);
        for (long done = head; done < all; ) {
            MemorySegment next = room.next(all - done);
            long n = Math.min(all - done, next.byteSize());
            bcast(engine, next, n, root);
            done += n;
        }
        return decoded("bcastObject", root, () -> type.checked(codec.decode(room, type.raw())));
    }

    /// Broadcasts between two groups. The engine is called twice, regardless of the length: the ranks of the
    /// root's group that get no data do not know the length, but must make as many calls as the other ranks.
    private <T> @Nullable T bcastBetween(EngineCalls engine, ObjectType<T> type, @Nullable T value, int root) {
        if (root == Comm.PROC_NULL) {
            bcast(engine, MemorySegment.NULL, 0, root);
            bcast(engine, MemorySegment.NULL, 0, root);
            return value;
        }
        ObjectCodec codec = mpi.scratch().codec();
        MemorySegment length = mpi.scratch().slot();
        if (root == port.rank()) {
            checkIs(type, value);
            long all = encoded("bcastObject", () -> codec.encodeWhole(value));
            length.set(JAVA_LONG_UNALIGNED, 0, all);
            bcast(engine, length, LENGTH_BYTES, root);
            bcast(engine, codec.head(), all, root);
            codec.release();
            return value;
        }
        bcast(engine, length, LENGTH_BYTES, root);
        long all = length.get(JAVA_LONG_UNALIGNED, 0);
        try (Room in = new Room(all)) {
            bcast(engine, in.segment, all, root);
            in.arrived();
            return decoded("bcastObject", root, () -> type.checked(codec.decode(in.segment, 0, all, type.raw())));
        }
    }

    private void checkIs(ObjectType<?> type, @Nullable Object value) {
        Arguments.given("bcastObject", "type", type, port);
        try {
            type.checked(value);
        } catch (CodecException e) {
            throw MpiException.argument(ErrorClass.ERR_TYPE, "bcastObject", "value " + e.getMessage(), port);
        }
    }

    private void bcast(EngineCalls engine, MemorySegment bytes, long count, int root) {
        Collective c = call("bcastObject", Kind.BCAST, root);
        c.recv.memory = Memory.of(bytes);
        c.send.count = count;
        run(engine, c);
    }

    @Nullable
    Object scatter(EngineCalls engine, @Nullable List<?> values, int askedRoot) {
        int root = check.root("scatterObject", askedRoot);
        int size = port.peerSize();
        boolean atRoot = port.rank() == root;
        boolean gets = isOther(root);
        Scratch scratch = mpi.scratch();
        ObjectCodec codec = scratch.codec();
        MemorySegment own = scratch.slot();
        long[] lengths = new long[atRoot ? size : 0];
        if (atRoot) {
            List<?> those = checked("scatterObject", values, size, "ranks");
            encoded("scatterObject", () -> codec.encodeEach(those, lengths));
        }
        Collective c = call("scatterObject", Kind.SCATTER, root);
        c.send.memory = atRoot ? Memory.of(MemorySegment.ofArray(lengths)) : Memory.NONE;
        c.send.count = atRoot ? LENGTH_BYTES : 0;
        c.recv.memory = gets ? Memory.of(own) : Memory.NONE;
        c.recv.count = gets ? LENGTH_BYTES : 0;
        run(engine, c);
        long mine = gets ? own.get(JAVA_LONG_UNALIGNED, 0) : 0;
        try (Room in = new Room(mine)) {
            Collective d = call("scatterObject", Kind.SCATTER, root);
            d.send.memory = atRoot ? Memory.of(codec.head()) : Memory.NONE;
            d.send.blocks = atRoot ? blocks(lengths) : null;
            d.recv.memory = gets ? in.memory() : Memory.NONE;
            d.recv.count = mine;
            run(engine, d);
            in.arrived();
            codec.release();
            return !gets ? null : decoded("scatterObject", root, () -> codec.decode(in.segment, 0, mine, Object.class));
        }
    }

    @Nullable
    List<@Nullable Object> gather(EngineCalls engine, String operation, @Nullable Object value, int askedRoot) {
        int root = check.root(operation, askedRoot);
        boolean atRoot = port.rank() == root;
        Scratch scratch = mpi.scratch();
        ObjectCodec codec = scratch.codec();
        boolean gives = isOther(root);
        long mine = gives ? encoded(operation, () -> codec.encodeWhole(value)) : 0;
        long[] lengths = new long[atRoot ? port.peerSize() : 0];
        lengths(engine, call(operation, Kind.GATHER, root), mine, lengths, atRoot);
        try (Room in = new Room(Arrays.stream(lengths).sum())) {
            Collective d = call(operation, Kind.GATHER, root);
            d.send.memory = gives ? Memory.of(codec.head()) : Memory.NONE;
            d.send.count = mine;
            d.recv.memory = atRoot ? in.memory() : Memory.NONE;
            d.recv.blocks = atRoot ? blocks(lengths) : null;
            run(engine, d);
            in.arrived();
            codec.release();
            return atRoot ? all(operation, codec, in, lengths, null) : null;
        }
    }

    /// Returns the values in the order of the sources. The sources are all ranks, or, if `among` is given, the
    /// sources of this neighborhood.
    List<@Nullable Object> allgather(
            EngineCalls engine, String operation, @Nullable Neighbors among, @Nullable Object value) {
        Kind kind = among == null ? Kind.ALLGATHER : Kind.NEIGHBOR_ALLGATHER;
        ObjectCodec codec = mpi.scratch().codec();
        long mine = encoded(operation, () -> codec.encodeWhole(value));
        long[] lengths = new long[sources(among)];
        lengths(engine, call(operation, kind, among), mine, lengths, true);
        Collective d = call(operation, kind, among);
        d.send.count = mine;
        return exchange(engine, d, codec, lengths, among);
    }

    /// Exchanges the encoded values of all ranks, in blocks of these lengths, and returns the decoded values.
    private List<@Nullable Object> exchange(
            EngineCalls engine, Collective d, ObjectCodec codec, long[] lengths, @Nullable Neighbors among) {
        try (Room in = new Room(Arrays.stream(lengths).sum())) {
            d.send.memory = Memory.of(codec.head());
            d.recv.memory = in.memory();
            d.recv.blocks = blocks(lengths);
            run(engine, d);
            in.arrived();
            codec.release();
            return all(d.operation, codec, in, lengths, among);
        }
    }

    /// Like [#allgather], but with a separate value for each rank, or, if `among` is given, for each
    /// destination.
    List<@Nullable Object> alltoall(
            EngineCalls engine, String operation, @Nullable Neighbors among, @Nullable List<?> values) {
        Kind kind = among == null ? Kind.ALLTOALL : Kind.NEIGHBOR_ALLTOALL;
        ObjectCodec codec = mpi.scratch().codec();
        List<?> those = among == null
                ? checked(operation, values, port.peerSize(), "ranks")
                : checked(operation, values, among.destinations().length, "destinations");
        long[] out = new long[those.size()];
        encoded(operation, () -> codec.encodeEach(those, out));
        long[] lengths = new long[sources(among)];
        Collective c = call(operation, kind, among);
        c.send.memory = Memory.of(MemorySegment.ofArray(out));
        c.send.count = LENGTH_BYTES;
        c.recv.memory = Memory.of(MemorySegment.ofArray(lengths));
        c.recv.count = LENGTH_BYTES;
        run(engine, c);
        Collective d = call(operation, kind, among);
        d.send.blocks = blocks(out);
        return exchange(engine, d, codec, lengths, among);
    }

    private int sources(@Nullable Neighbors among) {
        return among == null ? port.peerSize() : among.sources().length;
    }

    /// Sends the length `mine`, and, if `wanted` is set, receives the lengths of all ranks.
    private void lengths(EngineCalls engine, Collective c, long mine, long[] lengths, boolean wanted) {
        MemorySegment slot = mpi.scratch().slot();
        slot.set(JAVA_LONG_UNALIGNED, 0, mine);
        c.send.memory = Memory.of(slot);
        c.send.count = LENGTH_BYTES;
        c.recv.memory = wanted ? Memory.of(MemorySegment.ofArray(lengths)) : Memory.NONE;
        c.recv.count = wanted ? LENGTH_BYTES : 0;
        run(engine, c);
    }

    /// Decodes the received values. A source that is `PROC_NULL` sends no data; a source that sends null, in
    /// contrast, sends an encoded null.
    private List<@Nullable Object> all(
            String operation, ObjectCodec codec, Room in, long[] lengths, @Nullable Neighbors among) {
        List<@Nullable Object> values = new ArrayList<>(lengths.length);
        long at = 0;
        for (int i = 0; i < lengths.length; i++) {
            int source = among == null ? port.peerBase() + i : among.sources()[i];
            long from = at;
            long bytes = lengths[i];
            boolean ofNullProcess = source == Comm.PROC_NULL;
            values.add(
                    ofNullProcess
                            ? null
                            : decoded(operation, source, () -> codec.decode(in.segment, from, bytes, Object.class)));
            at += bytes;
        }
        return values;
    }

    private static BlockLayout blocks(long[] lengths) {
        long[] displacements = new long[lengths.length];
        for (int i = 1; i < lengths.length; i++) displacements[i] = displacements[i - 1] + lengths[i - 1];
        return new BlockLayout(lengths, displacements);
    }

    private Collective call(String operation, Kind kind, int root) {
        Collective c = mpi.scratch().collective().fill(operation, port, kind, root);
        c.send.type = ElementType.OBJECT;
        c.recv.type = ElementType.OBJECT;
        return c;
    }

    private Collective call(String operation, Kind kind, @Nullable Neighbors among) {
        Collective c = call(operation, kind, 0);
        c.neighbors = among;
        return c;
    }

    private void run(EngineCalls engine, Collective c) {
        boolean well = false;
        try {
            engine.run(c);
            well = c.failure() == null;
        } finally {
            if (!well) mpi.scratch().forgetObject();
        }
        Throwable why = c.failure();
        if (why != null) throw MpiException.asRuntime(why);
    }

    /// Writes a value with a codec.
    @FunctionalInterface
    private interface Encoding {
        long run();
    }

    private long encoded(String operation, Encoding encoding) {
        try {
            return encoding.run();
        } catch (CodecException e) {
            throw MpiException.argument(ErrorClass.ERR_TYPE, operation, String.valueOf(e.getMessage()), port);
        }
    }

    /// Reads a value with a codec.
    @FunctionalInterface
    private interface Decoding<T> {
        @Nullable
        T run();
    }

    private <T> @Nullable T decoded(String operation, int from, Decoding<T> decoding) {
        try {
            return decoding.run();
        } catch (CodecException e) {
            boolean full = e.getCause() instanceof OutOfMemoryError;
            throw MpiException.message(
                    full ? ErrorClass.ERR_NO_MEM : ErrorClass.ERR_TYPE,
                    operation,
                    "the value of " + port.describeRank(from) + " " + e.getMessage(),
                    port);
        }
    }

    private List<?> checked(String operation, @Nullable List<?> values, int many, String receivers) {
        if (values == null) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG, operation, "values is null on a rank that must pass a list of " + many, port);
        }
        if (values.size() != many) {
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT,
                    operation,
                    "values holds " + values.size() + " objects for " + many + " " + receivers,
                    port);
        }
        return values;
    }

    /// Returns whether the caller exchanges data with the root. Within one group, this is also true at the root
    /// itself.
    private boolean isOther(int root) {
        return !port.isInter() || root != Comm.PROC_NULL && root != port.rank();
    }

    /// Memory for the bytes of all objects of a call. It is freed at the end of the call, except after a failed
    /// call, because the engine may then still use it.
    private static final class Room implements AutoCloseable {
        private static final long LARGE_BYTES = 1 << 20;
        private final @Nullable Arena arena;
        final MemorySegment segment;
        private boolean free;

        Room(long bytes) {
            arena = bytes > LARGE_BYTES ? Arena.ofShared() : null;
            segment = arena == null ? Arena.ofAuto().allocate(Math.max(bytes, 1), 8) : arena.allocate(bytes, 8);
        }

        Memory memory() {
            return new Memory.Native(segment);
        }

        void arrived() {
            free = true;
        }

        @Override
        public void close() {
            if (free && arena != null) arena.close();
        }
    }
}
