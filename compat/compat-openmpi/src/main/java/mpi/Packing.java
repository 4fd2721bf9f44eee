package mpi;

import org.tutti.mpi.MpiException;
import org.tutti.mpi.Packer;
import org.tutti.mpi.Unpacker;

/// Elements in a byte array, without gaps.
final class Packing {
    private Packing() {}

    static int size(CommState comm, int count, Datatype type) throws MPIException {
        try {
            type.checkUsable();
        } catch (Mistake e) {
            throw comm.failed(e);
        }
        return Math.toIntExact(count * type.sizeBytes());
    }

    /// Returns the position after the elements.
    static int pack(CommState comm, Object in, int count, Datatype type, byte[] out, int position) throws MPIException {
        int bytes = size(comm, count, type);
        checkRoom(comm, bytes, out, position);
        if (bytes == 0) return position;
        try {
            byte[] packed = new Packer().add(Data.of(in, count, type)).toByteArray();
            System.arraycopy(packed, 0, out, position, bytes);
        } catch (MpiException | Mistake e) {
            throw comm.failed(e);
        }
        return position + bytes;
    }

    static int unpack(CommState comm, byte[] in, int position, Object out, int count, Datatype type)
            throws MPIException {
        int bytes = size(comm, count, type);
        checkRoom(comm, bytes, in, position);
        if (bytes == 0) return position;
        byte[] packed = java.util.Arrays.copyOfRange(in, position, position + bytes);
        try {
            new Unpacker(packed).take(Data.of(out, count, type));
        } catch (MpiException | Mistake e) {
            throw comm.failed(e);
        }
        return position + bytes;
    }

    private static void checkRoom(CommState comm, int bytes, byte[] array, int position) throws MPIException {
        if (position >= 0 && bytes <= array.length - position) return;
        throw Failures.of(
                MPI.ERR_TRUNCATE,
                "MPI_ERR_TRUNCATE: " + bytes + " bytes from position=" + position + " on are not within an array of "
                        + array.length,
                comm.errhandler);
    }
}
