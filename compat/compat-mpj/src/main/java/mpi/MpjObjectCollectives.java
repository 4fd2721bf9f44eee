package mpi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Comm;

/// Collective calls on objects: the objects of each rank are one message.
final class MpjObjectCollectives {
    private MpjObjectCollectives() {}

    /// A part of an object buffer for each rank.
    record Parts(Object data, int offset, int[] counts, int[] displs, Datatype type) {
        /// Creates a part for each rank, from arrays that may have more entries than there are ranks.
        static Parts of(
                String operation, Object data, int offset, int[] counts, int[] displs, Datatype type, int ranks) {
            int[] own = MpjBlocks.ofRanks(operation, "counts", counts, ranks);
            return new Parts(data, offset, own, MpjBlocks.ofRanks(operation, "displs", displs, ranks), type);
        }

        /// Creates contiguous parts of `count` elements each.
        static Parts equal(Object data, int offset, int count, Datatype type, int ranks) {
            int[] counts = new int[ranks];
            int[] displs = new int[ranks];
            Arrays.fill(counts, count);
            for (int r = 0; r < ranks; r++) displs[r] = r * count * type.Extent();
            return new Parts(data, offset, counts, displs, type);
        }

        List<byte[]> bytes(String operation) {
            List<byte[]> parts = new ArrayList<>();
            for (int r = 0; r < counts.length; r++) {
                parts.add(MpjObjects.bytes(operation, data, offset + displs[r], counts[r], type));
            }
            return parts;
        }

        void put(String operation, List<byte[]> parts) {
            for (int r = 0; r < counts.length; r++) {
                MpjObjects.put(operation, parts.get(r), data, offset + displs[r], counts[r], type);
            }
        }
    }

    static void bcast(Comm c, Object buf, int offset, int count, Datatype type, int root) {
        boolean sends = c.rank() == root;
        byte[] mine = sends ? MpjObjects.bytes("Bcast", buf, offset, count, type) : null;
        byte[] all = c.bcastObject(byte[].class, mine, root);
        if (!sends) MpjObjects.put("Bcast", all, buf, offset, count, type);
    }

    /// @param into null on ranks other than the root
    static void gather(String operation, Comm c, byte[] mine, @Nullable Parts into, int root) {
        List<byte[]> all = c.gatherObject(mine, root);
        if (into != null) into.put(operation, all);
    }

    /// @param from null on ranks other than the root
    static byte[] scatter(String operation, Comm c, @Nullable Parts from, int root) {
        return c.scatterObject(from == null ? null : from.bytes(operation), root);
    }

    static void allgather(String operation, Comm c, byte[] mine, Parts into) {
        into.put(operation, c.allgatherObject(mine));
    }

    static void alltoall(String operation, Comm c, Parts from, Parts into) {
        into.put(operation, c.alltoallObject(from.bytes(operation)));
    }

    static byte[] reduce(Comm c, byte[] mine, int count, Datatype type, User_function f, int root) {
        return c.reduceObject(mine, root, (a, b) -> MpjObjects.combine(f, a, b, count, type));
    }

    static byte[] allreduce(Comm c, byte[] mine, int count, Datatype type, User_function f) {
        return c.allreduceObject(mine, (a, b) -> MpjObjects.combine(f, a, b, count, type));
    }

    static byte[] scan(Comm c, byte[] mine, int count, Datatype type, User_function f) {
        return c.scanObject(mine, (a, b) -> MpjObjects.combine(f, a, b, count, type));
    }

    /// Returns this rank's part of the result of [#allreduce].
    static byte[] reduceScatter(Comm c, byte[] mine, int[] counts, Datatype type, User_function f) {
        int total = Arrays.stream(counts).sum();
        int before = Arrays.stream(counts).limit(c.rank()).sum();
        Object[] all = new Object[type.span(total)];
        MpjObjects.put("Reduce_scatter", allreduce(c, mine, total, type, f), all, type.origin(), total, type);
        return MpjObjects.bytes("Reduce_scatter", all, type.origin() + before * type.Extent(), counts[c.rank()], type);
    }
}
