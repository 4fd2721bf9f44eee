package mpi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.Buffer;
import org.tutti.mpi.Buf;
import org.tutti.mpi.dropin.RawBuffers;

/// Data of calls with a separate block for each rank.
final class Blocks {
    private Blocks() {}

    /// Returns a buffer for each of `many` ranks. The displacements `at` are in bytes.
    static Buf[] ofTypes(Object data, int[] counts, int[] at, Datatype[] types, int many) throws MPIException {
        Buf[] bufs = new Buf[many];
        for (int r = 0; r < many; r++) bufs[r] = Data.at(data, at[r], counts[r], types[r]);
        return bufs;
    }

    /// Returns a copy, for a call that sends from the receive buffer.
    static Object copyOf(Object data) {
        if (data == null) return null;
        if (data instanceof boolean[] a) return a.clone();
        MemorySegment all = data instanceof Buffer b ? RawBuffers.whole(b) : RawBuffers.segment(data);
        return all.toArray(ValueLayout.JAVA_BYTE);
    }
}
