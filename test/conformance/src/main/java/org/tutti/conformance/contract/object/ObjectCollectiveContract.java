package org.tutti.conformance.contract.object;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Complex;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.OwnedComm;

/// Collective operations on objects of every size, with every root.
public final class ObjectCollectiveContract {
    private ObjectCollectiveContract() {}

    /// A record in the trees.
    public record Leaf(int id, @Nullable String text) {}

    /// A record with nested records.
    public record Tree(Leaf leaf, List<Tree> children, Map<String, Leaf> byName) {}

    private static final List<String> SORTS =
            List.of("null", "number", "empty", "text", "slot", "tree", "array", "arrays", "long text");

    /// Returns a value of each kind, different for each rank in content and size.
    private static @Nullable Object value(String sort, int rank) {
        return switch (sort) {
            case "null" -> null;
            case "number" -> rank * rank;
            case "empty" -> List.of();
            case "text" -> "from " + rank;
            case "slot" -> "s".repeat(480 + rank); // around the capacity of a slot, which also holds the length
            case "tree" -> tree(rank, rank % 4);
            case "array" -> array(rank, 131_072 + rank); // 1 MiB
            case "arrays" -> List.of(array(rank, 5000), "between", new int[9000 + rank], rank);
            default -> "x".repeat(100_000 + 1000 * rank);
        };
    }

    private static Tree tree(int rank, int depth) {
        List<Tree> children = new ArrayList<>();
        for (int i = 0; i < depth; i++) children.add(tree(rank * 10 + i, depth - 1));
        return new Tree(
                new Leaf(rank, depth % 2 == 0 ? null : "n"),
                List.copyOf(children),
                new TreeMap<>(Map.of("a", new Leaf(-rank, "a"))));
    }

    private static double[] array(int rank, int length) {
        double[] a = new double[length];
        for (int i = 0; i < length; i++) a[i] = i + 0.25 * rank;
        return a;
    }

    private static void same(@Nullable Object expected, @Nullable Object actual, String label) {
        if (!Objects.deepEquals(inArrays(expected), inArrays(actual))) Check.same(expected, actual, label);
    }

    /// Converts lists to arrays, which can be compared by content.
    private static @Nullable Object inArrays(@Nullable Object value) {
        return value instanceof List<?> list
                ? list.stream().map(ObjectCollectiveContract::inArrays).toArray()
                : value;
    }

    @Contract
    public static void bcastReturnsTheRootsValue(Trial t) {
        for (int root = 0; root < t.size(); root++) {
            for (String sort : SORTS) {
                Object mine = t.rank() == root ? value(sort, root) : "ignored";
                Object got = t.world().bcastObject(mine, root);
                same(value(sort, root), got, sort + " from " + root);
                if (t.rank() == root) Check.that(got == mine, "the root gets a copy of the value");
            }
        }
        Complex z = t.world().bcastObject(Complex.class, t.rank() == 0 ? new Complex(2, 3) : null, 0);
        Check.same(new Complex(2, 3), z, "complex number");
    }

    @Contract(maxRanks = 3)
    public static void bcastOfFortyMebibytes(Trial t) {
        int root = t.size() - 1;
        double[] got = t.world().bcastObject(double[].class, t.rank() == root ? array(1, 5 << 20) : null, root);
        Check.that(Arrays.equals(array(1, 5 << 20), got), "40 MiB differ");
    }

    @Contract(minRanks = 2)
    public static void bcastNamesBothTypes(Trial t) {
        Comm w = t.world();
        if (t.rank() == 0) {
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "bcastObject: value holds a java.lang.String, not a java.lang.Integer (" + t.where() + ")",
                    () -> w.bcastObject((Class<?>) Integer.class, cast("text"), 0));
            w.bcastObject("text", 0);
        } else {
            MpiException e = Check.fails(ErrorClass.ERR_TYPE, () -> w.bcastObject(Integer.class, null, 0));
            Check.same(
                    "bcastObject: the value of rank 0 holds a java.lang.String, not a java.lang.Integer (" + t.where()
                            + ")",
                    e.getMessage(),
                    "text");
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // a program with wrong type arguments
    private static <T> T cast(Object value) {
        return (T) value;
    }

    @Contract
    public static void gatherReturnsAllValuesAtTheRoot(Trial t) {
        for (int root = 0; root < t.size(); root++) {
            for (String sort : SORTS) {
                List<@Nullable Object> got = t.world().gatherObject(value(sort, t.rank()), root);
                Check.that(
                        (got != null) == (t.rank() == root), "gatherObject returns a list off the root, or none on it");
                if (got != null) same(all(sort, t.size()), got, sort + " at " + root);
            }
        }
    }

    private static List<@Nullable Object> all(String sort, int size) {
        List<@Nullable Object> all = new ArrayList<>();
        for (int r = 0; r < size; r++) all.add(value(sort, r));
        return all;
    }

    @Contract
    public static void allgatherReturnsAllValues(Trial t) {
        for (String sort : SORTS) {
            same(all(sort, t.size()), t.world().allgatherObject(value(sort, t.rank())), sort);
        }
        List<Integer> squares = t.world().allgatherObject(t.rank() * t.rank());
        squares.add(-1); // the caller may change the list
        Check.same(t.size() + 1, squares.size(), "size");
    }

    @Contract
    public static void scatterReturnsOneValuePerRank(Trial t) {
        for (int root = 0; root < t.size(); root++) {
            for (String sort : SORTS) {
                Object got = t.world().scatterObject(t.rank() == root ? all(sort, t.size()) : null, root);
                same(value(sort, t.rank()), got, sort + " from " + root);
            }
        }
    }

    @Contract
    public static void alltoallExchangesAll(Trial t) {
        for (String sort : SORTS) {
            List<@Nullable Object> out = new ArrayList<>();
            List<@Nullable Object> expected = new ArrayList<>();
            for (int r = 0; r < t.size(); r++) {
                out.add(value(sort, 3 * t.rank() + r));
                expected.add(value(sort, 3 * r + t.rank()));
            }
            same(expected, t.world().alltoallObject(out), sort);
        }
    }

    /// A non-commutative, non-associative operator. The result shows each application: `(((0 + 1) + 2) + 3)`.
    private static String bracketed(String a, String b) {
        return "(" + a + " + " + b + ")";
    }

    private static String folded(int count) {
        return IntStream.range(0, count)
                .mapToObj(String::valueOf)
                .reduce(ObjectCollectiveContract::bracketed)
                .orElse("");
    }

    @Contract
    public static void reductionsFollowRankOrder(Trial t) {
        Comm w = t.world();
        BinaryOperator<String> op = ObjectCollectiveContract::bracketed;
        String mine = String.valueOf(t.rank());
        for (int root = 0; root < t.size(); root++) {
            String got = w.reduceObject(mine, root, op);
            Check.same(t.rank() == root ? folded(t.size()) : null, got, "reduce at " + root);
        }
        Check.same(folded(t.size()), w.allreduceObject(mine, op), "allreduce");
        Check.same(folded(t.rank() + 1), w.scanObject(mine, op), "scan");
        Check.same(t.rank() == 0 ? null : folded(t.rank()), w.exscanObject(mine, op), "exscan");
        int sum = w.allreduceObject(t.rank(), Integer::sum);
        Check.same(t.size() * (t.size() - 1) / 2, sum, "sum of the ranks");
    }

    /// An operator may change the arguments; the values that the ranks passed stay unchanged.
    @Contract
    public static void operatorsWorkOnCopies(Trial t) {
        List<Integer> mine = new ArrayList<>(List.of(t.rank()));
        List<Integer> all = t.world().allreduceObject(mine, (a, b) -> {
            a.addAll(b);
            return a;
        });
        Check.same(IntStream.range(0, t.size()).boxed().toList(), all, "concatenation");
        Check.same(List.of(t.rank()), mine, "operand of this rank");
    }

    @Contract
    public static void operatorExceptionAffectsOneRank(Trial t) {
        Comm w = t.world();
        BinaryOperator<Integer> picky = (a, b) -> {
            throw new IllegalStateException("not " + a + " and " + b);
        };
        if (t.size() == 1) {
            int single = w.allreduceObject(0, picky);
            Check.same(0, single, "one rank's");
            return;
        }
        try {
            w.allreduceObject(t.rank(), picky);
            throw new AssertionError("the operator's exception was lost");
        } catch (IllegalStateException e) {
            Check.same("not 0 and 1", e.getMessage(), "text");
        }
        int next = w.allreduceObject(1, Integer::sum);
        Check.same(t.size(), next, "the next one");
    }

    @Contract
    public static void onASubsetOfRanks(Trial t) {
        try (OwnedComm half = t.world().split(t.rank() % 2, -t.rank())) {
            List<Integer> ranks = half.allgatherObject(t.rank());
            Check.same(half.size(), ranks.size(), "size");
            for (int i = 0; i < ranks.size(); i++) {
                Check.same(t.rank() % 2, ranks.get(i) % 2, "color");
                Check.that(i == 0 || ranks.get(i) < ranks.get(i - 1), "order: " + ranks);
            }
        }
    }

    @Contract
    public static void wrongArgumentsAreReportedBeforeSending(Trial t) {
        Comm w = t.world();
        int n = t.size();
        String roots =
                ": root=" + n + " is not a rank of WORLD, which has ranks 0 to " + (n - 1) + " (" + t.where() + ")";
        Check.rejects(ErrorClass.ERR_ROOT, "bcastObject" + roots, () -> w.bcastObject("x", n));
        Check.rejects(ErrorClass.ERR_ROOT, "scatterObject" + roots, () -> w.scatterObject(List.of(), n));
        Check.rejects(ErrorClass.ERR_ROOT, "gatherObject" + roots, () -> w.gatherObject("x", n));
        Check.rejects(ErrorClass.ERR_ROOT, "reduceObject" + roots, () -> w.reduceObject(1, n, Integer::sum));
        List<Integer> tooMany = Collections.nCopies(n + 1, 1);
        String count = ": values holds " + (n + 1) + " objects for " + n + " ranks (" + t.where() + ")";
        Check.rejects(ErrorClass.ERR_COUNT, "scatterObject" + count, () -> w.scatterObject(tooMany, t.rank()));
        Check.rejects(ErrorClass.ERR_COUNT, "alltoallObject" + count, () -> w.alltoallObject(tooMany));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "scatterObject: values is null on a rank that must pass a list of " + n + " (" + t.where() + ")",
                () -> w.scatterObject(null, t.rank()));
        List<Object> bad = new ArrayList<>(Collections.nCopies(n, 1));
        bad.set(n - 1, Map.of("key", new Object()));
        for (String operation : List.of("bcastObject", "scatterObject", "gatherObject", "allgatherObject")) {
            MpiException e = Check.fails(ErrorClass.ERR_TYPE, () -> {
                switch (operation) {
                    case "bcastObject" -> w.bcastObject(bad.getLast(), t.rank());
                    case "scatterObject" -> w.scatterObject(bad, t.rank());
                    case "gatherObject" -> w.gatherObject(bad.getLast(), t.rank());
                    default -> w.allgatherObject(bad.getLast());
                }
            });
            String where = operation.equals("scatterObject") ? "values[" + (n - 1) + "]" : "Map";
            String text = String.valueOf(e.getMessage());
            Check.that(
                    text.startsWith(operation + ": " + where + "[\"key\"]: java.lang.Object cannot be sent"),
                    "text: " + text);
        }
        int next = w.allreduceObject(1, Integer::sum);
        Check.same(n, next, "the next one");
    }
}
