package mpi;

import org.tutti.mpi.MpiException;
import org.tutti.mpi.Packer;
import org.tutti.mpi.Unpacker;

/// Elements in an array of bytes, without gaps.
final class Packing {
    private Packing() {}

    static int size(int count, Datatype type) throws MPIException {
        type.checkThere();
        return Math.toIntExact(count * type.sizeBytes());
    }

    /// Returns the position behind them.
    static int pack(Object in, int count, Datatype type, byte[] out, int position) throws MPIException {
        int bytes = size(count, type);
        checkRoom(bytes, out, position);
        if (bytes == 0) return position;
        try {
            byte[] packed = new Packer().add(Data.of(in, count, type)).bytes();
            System.arraycopy(packed, 0, out, position, bytes);
        } catch (MpiException e) {
            throw Failures.of(e);
        }
        return position + bytes;
    }

    static int unpack(byte[] in, int position, Object out, int count, Datatype type) throws MPIException {
        int bytes = size(count, type);
        checkRoom(bytes, in, position);
        if (bytes == 0) return position;
        byte[] packed = java.util.Arrays.copyOfRange(in, position, position + bytes);
        try {
            new Unpacker(packed).take(Data.of(out, count, type));
        } catch (MpiException e) {
            throw Failures.of(e);
        }
        return position + bytes;
    }

    private static void checkRoom(int bytes, byte[] array, int position) throws MPIException {
        if (position >= 0 && bytes <= array.length - position) return;
        throw Failures.of(
                MPI.ERR_TRUNCATE,
                "MPI_ERR_TRUNCATE: " + bytes + " bytes from position=" + position + " on do not lie in an array of "
                        + array.length);
    }
}
