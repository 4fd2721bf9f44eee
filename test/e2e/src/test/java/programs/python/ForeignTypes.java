package programs.python;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Status;

/// Rank 0 of a job in which rank 1 is `foreign_types.py`. It receives elements of each predefined type, returns
/// the elements, and takes part in collective calls.
public final class ForeignTypes {
    private static final int COUNT = 5;

    private ForeignTypes() {}

    /// @param buffer memory for `COUNT` + 1 elements
    /// @param part returns the first `COUNT` elements of `buffer`, with the current content
    /// @param both memory for the elements of the two ranks
    private record Exchange(Buf buffer, Supplier<Buf> part, Buf both, Datatype type) {}

    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            List<Exchange> types = types();
            for (int tag = 0; tag < types.size(); tag++) {
                Exchange x = types.get(tag);
                Status probed = world.probe(1, tag);
                check(x, "probed", probed.count(x.type));
                check(x, "received", world.recv(x.buffer, 1, tag).count());
                Buf part = x.part.get();
                world.send(part, 1, tag);
                world.bcast(part, 1);
                world.allgather(part, x.both);
            }
            IO.println("Java exchanged " + types.size() + " types");
        }
    }

    private static void check(Exchange x, String action, long count) {
        if (count != COUNT) throw new AssertionError(action + " " + count + " elements of " + x.type);
    }

    private static List<Exchange> types() {
        int n = COUNT, m = COUNT + 1, two = 2 * COUNT;
        byte[] b = new byte[m];
        char[] c = new char[m];
        short[] s = new short[m];
        int[] i = new int[m];
        long[] l = new long[m];
        float[] f = new float[m];
        double[] d = new double[m], dv = new double[m];
        long[] lv = new long[m];
        float[] fv = new float[m];
        int[][] places = new int[5][m];
        return Arrays.asList(
                new Exchange(buf(b), () -> buf(b, 0, n), buf(new byte[two]), Datatype.BYTE),
                new Exchange(buf(c), () -> buf(c, 0, n), buf(new char[two]), Datatype.CHAR),
                new Exchange(buf(s), () -> buf(s, 0, n), buf(new short[two]), Datatype.SHORT),
                new Exchange(buf(i), () -> buf(i, 0, n), buf(new int[two]), Datatype.INT),
                new Exchange(buf(l), () -> buf(l, 0, n), buf(new long[two]), Datatype.LONG),
                new Exchange(buf(f), () -> buf(f, 0, n), buf(new float[two]), Datatype.FLOAT),
                new Exchange(buf(d), () -> buf(d, 0, n), buf(new double[two]), Datatype.DOUBLE),
                new Exchange(
                        buf(dv, places[0]),
                        () -> buf(Arrays.copyOf(dv, n), Arrays.copyOf(places[0], n)),
                        buf(new double[two], new int[two]),
                        Datatype.DOUBLE_INT),
                new Exchange(
                        buf(lv, places[1]),
                        () -> buf(Arrays.copyOf(lv, n), Arrays.copyOf(places[1], n)),
                        buf(new long[two], new int[two]),
                        Datatype.LONG_INT),
                new Exchange(
                        buf(fv, places[2]),
                        () -> buf(Arrays.copyOf(fv, n), Arrays.copyOf(places[2], n)),
                        buf(new float[two], new int[two]),
                        Datatype.FLOAT_INT),
                new Exchange(
                        buf(places[3], places[4]),
                        () -> buf(Arrays.copyOf(places[3], n), Arrays.copyOf(places[4], n)),
                        buf(new int[two], new int[two]),
                        Datatype.INT_INT));
    }
}
