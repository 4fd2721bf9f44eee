package mpi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;

/// Predefined operations for the original's types that differ from Tutti's types: `BYTE` and `BOOLEAN` are
/// numbers from 0 to 255, and there is a pair type of a `short` and an index.
final class UnsignedOps {
    private static final Op MIN = Op.of("MIN", Datatype.BYTE, (in, inOut, n) -> extreme(in, inOut, n, false))
            .commutative();
    private static final Op MAX = Op.of("MAX", Datatype.BYTE, (in, inOut, n) -> extreme(in, inOut, n, true))
            .commutative();

    private static final int SHORT_INT_BYTES = 6;
    private static final Op MINLOC = located("MINLOC", false);
    private static final Op MAXLOC = located("MAXLOC", true);

    private UnsignedOps() {}

    /// Returns null if Tutti's operation is equivalent.
    static Op find(Op predefined, mpi.Datatype type) {
        if (type.reduced == Datatype.BYTE) return predefined == Op.MIN ? MIN : predefined == Op.MAX ? MAX : null;
        if (type.reduced == MPI.SHORT_INT.real) {
            return predefined == Op.MINLOC ? MINLOC : predefined == Op.MAXLOC ? MAXLOC : null;
        }
        return null;
    }

    private static void extreme(MemorySegment in, MemorySegment inOut, long count, boolean largest) {
        for (long i = 0; i < count; i++) {
            int a = Byte.toUnsignedInt(in.get(ValueLayout.JAVA_BYTE, i));
            int b = Byte.toUnsignedInt(inOut.get(ValueLayout.JAVA_BYTE, i));
            inOut.set(ValueLayout.JAVA_BYTE, i, (byte) (largest ? Math.max(a, b) : Math.min(a, b)));
        }
    }

    private static Op located(String name, boolean largest) {
        return Op.of(name, MPI.SHORT_INT.real, (in, inOut, count) -> {
                    for (long i = 0; i < count; i++) locate(in, inOut, i * SHORT_INT_BYTES, largest);
                })
                .commutative();
    }

    private static void locate(MemorySegment in, MemorySegment inOut, long at, boolean largest) {
        int a = in.get(ValueLayout.JAVA_SHORT_UNALIGNED, at), b = inOut.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
        long place = at + Short.BYTES;
        int i = in.get(ValueLayout.JAVA_INT_UNALIGNED, place), k = inOut.get(ValueLayout.JAVA_INT_UNALIGNED, place);
        boolean better = largest ? a > b : a < b;
        if (better || a == b && i < k) MemorySegment.copy(in, at, inOut, at, SHORT_INT_BYTES);
    }
}
