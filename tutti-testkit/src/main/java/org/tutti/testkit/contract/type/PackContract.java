package org.tutti.testkit.contract.type;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Packer;
import org.tutti.mpi.Unpacker;
import org.tutti.testkit.trial.Check;
import org.tutti.testkit.trial.Contract;
import org.tutti.testkit.trial.Trial;

/// Data of several kinds in one message. MPI 4.1, sections 5.2 and 5.3.
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
            Check.same(4 * 2 + 8 * 4 + 2, p.length(), "length");
            byte[] in = new byte[p.length()];
            t.world().sendrecv(p.buf(), t.right(), buf(in), t.left());
            int[] head = new int[2];
            double[] out = new double[12];
            boolean[] flags = new boolean[2];
            Unpacker u = external ? Unpacker.external32(in) : new Unpacker(in);
            u.take(buf(head)).take(buf(out, 2, 1, column)).take(buf(flags));
            Check.same(0, u.remaining(), "what is left");
            Check.same("[" + t.left() + ", 7]", Arrays.toString(head), "head");
            for (int i = 0; i < 12; i++) {
                Check.same(i % 3 == 2 ? 10.0 * t.left() + i - 1 : 0, out[i], "element " + i);
            }
            Check.same("[true, false]", Arrays.toString(flags), "flags");
        }
    }
}
