package org.tutti.conformance.contract.object;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;

/// Messages that contain Java objects.
public final class ObjectContract {
    private ObjectContract() {}

    /// An enum constant in messages.
    public enum Color {
        RED,
        GREEN
    }

    /// A record that the codec creates with the constructor.
    public record Point(double x, double y) {}

    /// A record with nested records.
    public record Shape(
            String name,
            Color color,
            List<Point> corners,
            @Nullable Shape inner) {}

    private static <T> @Nullable T round(Trial t, @Nullable Object value, Class<T> type, int tag) {
        if (t.rank() % 2 == 0) {
            t.world().sendObject(value, t.right(), tag);
            return t.world().recvObject(type, t.left(), tag);
        }
        T got = t.world().recvObject(type, t.left(), tag);
        t.world().sendObject(value, t.right(), tag);
        return got;
    }

    @Contract(minRanks = 2)
    public static void valuesOfAllKinds(Trial t) {
        Shape triangle = new Shape(
                "Dreieck △",
                Color.GREEN,
                List.of(new Point(0, 0), new Point(1, -0.0), new Point(Double.NaN, Double.MAX_VALUE)),
                new Shape("", Color.RED, List.of(), null));
        TreeMap<String, Object> sorted = new TreeMap<>(Map.of("b", 1L, "a", List.of(true, 'x', (byte) 3)));
        List<@Nullable Object> withNull = new ArrayList<>();
        for (Object part : new @Nullable Object[] {1, null, "three", 4.0f}) withNull.add(part);
        Object[] values = {
            17,
            -1L << 40,
            "text",
            "",
            3.14,
            Map.of("a", 7, "b", 3.14),
            List.of(1, "two", List.of(3.0)),
            triangle,
            sorted,
            withNull,
            Color.RED,
            new Point(1, 2)
        };
        for (int i = 0; i < values.length; i++) {
            Check.same(values[i], round(t, values[i], Object.class, i), "object " + i);
        }
    }

    @Contract(engine = "shm")
    public static void toTheSameRank(Trial t) {
        t.world().sendObject(new Point(t.rank(), 2), t.rank(), 4);
        Check.same(
                new Point(t.rank(), 2), t.world().recvObject(Point.class, t.rank(), 4), "object sent to the same rank");
    }

    @Contract(minRanks = 2)
    public static void nullIsAValue(Trial t) {
        Check.that(round(t, null, String.class, 1) == null, "null arrived as something");
    }

    @Contract(minRanks = 2)
    public static void arraysRetainTypes(Trial t) {
        int[] ints = round(t, new int[] {1, 2, t.rank()}, int[].class, 1);
        Check.that(ints != null && ints.length == 3 && ints[2] == t.left(), "int[] is " + Arrays.toString(ints));
        double[][] matrix = round(t, new double[][] {{1}, {2, 3}}, double[][].class, 1);
        Check.that(
                Arrays.deepEquals(new double[][] {{1}, {2, 3}}, matrix),
                "double[][] is " + Arrays.deepToString(matrix));
        String[] strings = round(t, new String[] {"a", "b"}, String[].class, 1);
        Check.that(Arrays.equals(new String[] {"a", "b"}, strings), "String[] is " + Arrays.toString(strings));
    }

    /// An object of 5 MB is followed by small objects.
    @Contract(minRanks = 2)
    public static void largeObjectsAndSmallOnesInOrder(Trial t) {
        long[] large = new long[650_000];
        for (int i = 0; i < large.length; i++) large[i] = i * 3L + t.rank();
        for (int sender = 0; sender < 2; sender++) {
            int receiver = 1 - sender;
            if (t.rank() == sender) {
                t.world().sendObject(List.of("before"), receiver, 1);
                t.world().sendObject(Map.of("large", large), receiver, 1);
                t.world().sendObject("after", receiver, 1);
                t.world().send(buf(new int[] {4}), receiver, 1);
            } else if (t.rank() == receiver) {
                Check.same(List.of("before"), t.world().recvObject(List.class, sender, 1), "before");
                Map<?, ?> m = t.world().recvObject(Map.class);
                Check.that(m != null && m.get("large") instanceof long[], "no long[] in " + m);
                if (m != null && m.get("large") instanceof long[] got) {
                    Check.same(large.length, got.length, "length");
                    for (int i = 0; i < got.length; i++) {
                        if (got[i] != i * 3L + sender) Check.same(i * 3L + sender, got[i], "element " + i);
                    }
                }
                Check.same("after", t.world().recvObject(String.class, Comm.ANY_SOURCE, 1), "after");
                int[] in = new int[1];
                t.world().recv(buf(in), sender, 1);
                Check.same(4, in[0], "data after objects");
            }
        }
    }

    @Contract(minRanks = 2)
    public static void unexpectedClass(Trial t) {
        MpiException e = Check.fails(ErrorClass.ERR_TYPE, () -> {
            if (t.rank() % 2 == 0) t.world().sendObject("text", t.right(), 9);
            try {
                t.world().recvObject(Integer.class, t.left(), 9);
            } finally {
                if (t.rank() % 2 != 0) t.world().sendObject("text", t.right(), 9);
            }
        });
        Check.same(
                "recvObject: message from rank " + t.left()
                        + ", tag 9, holds a java.lang.String, not a java.lang.Integer (" + t.where() + ")",
                e.getMessage(),
                "text");
        Check.same(MpiException.Scope.MESSAGE, e.scope(), "scope");
        Check.same((Object) 5, round(t, 5, Integer.class, 9), "the object after the wrong one");
    }

    @Contract(minRanks = 2)
    public static void unsupportedValues(Trial t) {
        MpiException e = Check.fails(
                ErrorClass.ERR_TYPE, () -> t.world().sendObject(Map.of("a", List.of(new Object())), t.right(), 1));
        Check.same(MpiException.Scope.ARGUMENT, e.scope(), "scope");
        String text = String.valueOf(e.getMessage());
        Check.that(
                text.startsWith("sendObject: ")
                        && text.contains("java.lang.Object")
                        && text.endsWith("(" + t.where() + ")"),
                "text: " + text);
        Check.same("fine", round(t, "fine", String.class, 1), "the object after the refused one");
    }

    @Contract(minRanks = 2)
    public static void fromAnySource(Trial t) {
        if (t.rank() != 0) {
            t.world().sendObject(new Point(t.rank(), 0), 0, t.rank());
            return;
        }
        double sum = 0;
        for (int i = 1; i < t.size(); i++) {
            Point p = t.world().recvObject(Point.class);
            sum += p == null ? Double.NaN : p.x();
        }
        Check.that(sum == t.size() * (t.size() - 1) / 2.0, "sum of objects from ANY_SOURCE is " + sum);
    }

    @Contract(minRanks = 2)
    public static void manyUnexpectedObjects(Trial t) {
        int many = 200;
        if (t.rank() == 1) {
            for (int i = 0; i < many; i++) t.world().sendObject(List.of(i, "x".repeat(i)), 0, i % 2);
            t.world().barrier();
        } else if (t.rank() == 0) {
            t.world().barrier();
            for (int tag = 1; tag >= 0; tag--) {
                for (int i = tag; i < many; i += 2) {
                    Check.same(List.of(i, "x".repeat(i)), t.world().recvObject(List.class, 1, tag), "object " + i);
                }
            }
        } else {
            t.world().barrier();
        }
    }
}
