package org.tutti.conformance.contract.type;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Packer;
import org.tutti.mpi.Status;
import org.tutti.mpi.Unpacker;

/// Messages that contain several kinds of data. MPI 4.1, sections 5.2 and 5.3.
public final class PackContract {
    private PackContract() {}

    @Contract
    public static void packedDataIsSentAsBytes(Trial t) {
        for (boolean external : new boolean[] {false, true}) {
            double[] matrix = new double[12];
            Arrays.setAll(matrix, i -> 10 * t.rank() + i);
            Datatype column = Datatype.DOUBLE.vector(4, 1, 3);
            Packer p = external ? Packer.external32() : new Packer();
            p.add(buf(new int[] {t.rank(), 7})).add(buf(matrix, 1, 1, column)).add(buf(new boolean[] {true, false}));
            Check.same(4 * 2 + 8 * 4 + 2, p.sizeBytes(), "length");
            byte[] in = new byte[(int) p.sizeBytes()];
            t.world().sendrecv(p.buf(), t.right(), buf(in), t.left());
            int[] head = new int[2];
            double[] out = new double[12];
            boolean[] flags = new boolean[2];
            Unpacker u = external ? Unpacker.external32(in) : new Unpacker(in);
            u.take(buf(head)).take(buf(out, 2, 1, column)).take(buf(flags));
            Check.same(0, u.remaining(), "remaining bytes");
            Check.same("[" + t.left() + ", 7]", Arrays.toString(head), "head");
            for (int i = 0; i < 12; i++) {
                Check.same(i % 3 == 2 ? 10.0 * t.left() + i - 1 : 0, out[i], "element " + i);
            }
            Check.same("[true, false]", Arrays.toString(flags), "flags");
        }
    }

    /// MPI 4.1, section 5.2: the types of a message may differ if one is `PACKED`.
    @Contract
    public static void packedDataIsReceivedAsParts(Trial t) {
        int[] numbers = new int[3];
        Buf packed = new Packer().add(buf(new int[] {t.rank(), 5, 6})).buf();
        Status s = t.world().sendrecv(packed, t.right(), buf(numbers), t.left());
        Check.same("[" + t.left() + ", 5, 6]", Arrays.toString(numbers), "numbers that were packed");
        Check.same(3L, s.count(), "count");

        byte[] bytes = new byte[16];
        Status all = t.world()
                .sendrecv(buf(new double[] {t.rank(), 2}), t.right(), buf(bytes, 0, 16, Datatype.PACKED), t.left());
        double[] doubles = new double[2];
        new Unpacker(bytes).take(buf(doubles));
        Check.same("[" + t.left() + ".0, 2.0]", Arrays.toString(doubles), "numbers received as PACKED");
        Check.same(2L, all.count(Datatype.DOUBLE), "count");

        Datatype mixed = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, Datatype.INT, Datatype.DOUBLE);
        Packer parts = new Packer().add(buf(new int[] {7})).add(buf(new double[] {t.rank()}));
        byte[] struct = new byte[16];
        t.world().sendrecv(parts.buf(), t.right(), buf(struct, 0, 1, mixed), t.left());
        MemorySegment m = MemorySegment.ofArray(struct);
        Check.same(7, m.get(ValueLayout.JAVA_INT_UNALIGNED, 0), "the int of a struct");
        Check.same((double) t.left(), m.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8), "the double of a struct");
    }

    @Contract
    public static void packedDataIsBroadcastAsBytes(Trial t) {
        byte[] bytes = new byte[8];
        Buf packed = new Packer().add(buf(new int[] {3, 4})).buf();
        t.world().bcast(t.rank() == 0 ? packed : buf(bytes), 0);
        int[] numbers = {3, 4};
        if (t.rank() != 0) new Unpacker(bytes).take(buf(numbers));
        Check.same("[3, 4]", Arrays.toString(numbers), "numbers");
    }
}
