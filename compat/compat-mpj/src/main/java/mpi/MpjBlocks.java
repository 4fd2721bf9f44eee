package mpi;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.tutti.mpi.Buf;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Packer;
import org.tutti.mpi.Unpacker;

/// A buffer with a block for each rank: `counts[r]` elements of the type, from the array element with the index
/// `offset + displs[r]`. With a basic type, the array is used directly. With a derived type, a copy without gaps
/// is used, because displacements count elements of the array in the original, but elements of the type in Tutti.
final class MpjBlocks {
    final Buf buf;

    private final String operation;
    private final Object data;
    private final int offset;
    private final int[] counts;
    private final int[] displs;
    private final Datatype type;

    /// The bytes of the copy; empty if `buf` uses the array directly.
    private final byte[] copy;

    private MpjBlocks(
            String operation, Object data, int offset, int[] counts, int[] displs, Datatype type, boolean sends) {
        this.operation = operation;
        this.data = data;
        this.offset = offset;
        this.counts = counts;
        this.displs = displs;
        this.type = type;
        MpjData.check(operation, data, 0, type);
        if (type.isBasic() && type.element != MpjElement.PACKED) {
            copy = new byte[0];
            Buf all = MpjData.of(operation, data, offset, Math.max(0, MpjData.length(data) - offset), type);
            buf = all.blocks(longs(counts), longs(displs));
            return;
        }
        if (type.element == MpjElement.PACKED) throw new MPIException(operation + ": no blocks of MPI.PACKED");
        int size = type.Size();
        copy = sends ? packed() : new byte[Arrays.stream(counts).sum() * size * type.element.bytes];
        int[] elements = Arrays.stream(counts).map(c -> c * size).toArray();
        buf = MpjData.dense(copy, type.element).blocks(elements);
    }

    /// Returns the first `ranks` entries, because programs may pass longer arrays.
    static int[] ofRanks(String operation, String name, int[] entries, int ranks) {
        if (entries.length == ranks) return entries;
        if (entries.length > ranks) return Arrays.copyOf(entries, ranks);
        throw new MPIException(operation + ": " + name + " has " + entries.length + " entries for " + ranks + " ranks");
    }

    /// Describes a send buffer.
    static MpjBlocks toSend(
            String operation, Object data, int offset, int[] counts, int[] displs, Datatype type, int ranks) {
        return made(operation, data, offset, counts, displs, type, ranks, true);
    }

    /// Describes a receive buffer; [#received] must follow.
    static MpjBlocks toReceive(
            String operation, Object data, int offset, int[] counts, int[] displs, Datatype type, int ranks) {
        return made(operation, data, offset, counts, displs, type, ranks, false);
    }

    private static MpjBlocks made(
            String operation,
            Object data,
            int offset,
            int[] counts,
            int[] displs,
            Datatype type,
            int ranks,
            boolean sends) {
        int[] own = ofRanks(operation, "counts", counts, ranks);
        int[] places = ofRanks(operation, "displs", displs, ranks);
        try {
            return new MpjBlocks(operation, data, offset, own, places, type, sends);
        } catch (MpiException e) {
            throw MPIException.of(operation + ": " + e.getMessage(), e);
        }
    }

    /// Copies the received data to the array, unless the array is used directly. Called after `buf` has been
    /// filled.
    void received() {
        if (copy.length == 0) return;
        Unpacker from = new Unpacker(MemorySegment.ofArray(copy));
        for (int r = 0; r < counts.length; r++) from.take(block(r));
    }

    private byte[] packed() {
        Packer all = new Packer();
        for (int r = 0; r < counts.length; r++) all.add(block(r));
        return all.toByteArray();
    }

    private Buf block(int r) {
        return MpjData.of(operation, data, offset + displs[r], counts[r], type);
    }

    static long[] longs(int[] numbers) {
        return Arrays.stream(numbers).asLongStream().toArray();
    }
}
