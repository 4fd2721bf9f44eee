package org.tutti.conformance.contract.object;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.ObjectRequest;
import org.tutti.mpi.ObjectType;
import org.tutti.mpi.Received;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// Receives of objects that return the sender, and receives of generic types.
public final class ObjectTypeContract {
    private ObjectTypeContract() {}

    public record Task(String name, List<Integer> steps) {}

    public record Pair<A, B>(A first, B second, @Nullable Pair<A, B> next) {}

    private static final ObjectType<List<Task>> TASKS = new ObjectType<>() {};
    private static final ObjectType<Map<String, List<Task>>> BY_NAME = new ObjectType<>() {};
    private static final ObjectType<Pair<String, Integer>> PAIR = new ObjectType<>() {};
    private static final ObjectType<List<Integer>> NUMBERS = new ObjectType<>() {};

    private static Task task(int rank) {
        return new Task("task of " + rank, List.of(rank, rank + 1));
    }

    private static <T> @Nullable T exchanged(Trial t, @Nullable Object value, ObjectType<T> type) {
        return t.world().sendrecvObject(value, t.right(), type, t.left());
    }

    @Contract
    public static void everyReceiveAcceptsAParameterizedType(Trial t) {
        Comm w = t.world();
        List<Task> expected = List.of(task(t.left()));
        for (int way = 0; way < 9; way++) {
            Request send = w.isendObject(List.of(task(t.rank())), t.right(), 4);
            List<Task> got = switch (way) {
                case 0 -> w.recvObject(TASKS);
                case 1 -> w.recvObject(TASKS, t.left());
                case 2 -> w.recvObject(TASKS, t.left(), 4);
                case 3 -> w.recvObjectWithStatus(TASKS).value();
                case 4 -> w.recvObjectWithStatus(TASKS, t.left()).value();
                case 5 -> w.irecvObject(TASKS).awaitObject();
                case 6 -> w.irecvObject(TASKS, t.left()).awaitObject();
                case 7 -> w.mprobe(t.left(), 4).recvObject(TASKS);
                default -> w.recvObjectWithStatus(TASKS, t.left(), 4).value();
            };
            Check.that(got != null, "no object received");
            if (got != null) Check.same("task of " + t.left(), got.getFirst().name(), "name by way " + way);
            Check.same(expected, got, "tasks by way " + way);
            send.await();
            w.barrier();
        }
        Check.same(expected, exchanged(t, List.of(task(t.rank())), TASKS), "by sendrecvObject");
        List<Task> roots = w.bcastObject(TASKS, t.rank() == 0 ? List.of(task(0)) : null, 0);
        Check.same(List.of(task(0)), roots, "by bcastObject");
    }

    @Contract
    public static void typesOfManyKinds(Trial t) {
        Map<String, List<Task>> byName = Map.of("a", List.of(task(1)), "b", List.of());
        Check.same(byName, exchanged(t, byName, BY_NAME), "map of lists");
        Pair<String, Integer> pair = new Pair<>("x", 1, new Pair<>("y", 2, null));
        Check.same(pair, exchanged(t, pair, PAIR), "record with parameters");
        Check.same("text", exchanged(t, "text", new ObjectType<String>() {}), "class");
        Check.same(null, exchanged(t, null, TASKS), "null");
        Optional<List<? extends Number>> some = Optional.of(List.of(1, 2.5));
        Check.same(some, exchanged(t, some, new ObjectType<Optional<List<? extends Number>>>() {}), "optional");
        Deque<Integer> deque = new ArrayDeque<>(List.of(1, 2));
        Deque<Integer> received = exchanged(t, deque, new ObjectType<Deque<Integer>>() {});
        Check.same(List.copyOf(deque), received == null ? null : List.copyOf(received), "deque");
        List<?>[] lists = {List.of(1), List.of()};
        List<Integer>[] got = exchanged(t, lists, new ObjectType<List<Integer>[]>() {});
        Check.same(List.of(lists), got == null ? null : List.of(got), "array of lists");
        Comparable<?> any = exchanged(t, 7, new ObjectType<Comparable<?>>() {});
        Check.same(7, any, "of any parameter");
    }

    @Contract
    public static void wrongElementTypeIsNamedWithThePath(Trial t) {
        String task = Task.class.getName();
        refused(t, "holds a java.lang.String, not a java.util.List", "text", TASKS);
        refused(t, "holds a java.lang.Integer at [1], not an " + task, List.of(task(0), 5), TASKS);
        refused(t, "holds a java.lang.String at [\"b\"][0], not an " + task, Map.of("b", List.of("x")), BY_NAME);
        refused(t, "holds a java.lang.Integer at key 5, not a java.lang.String", Map.of(5, List.of()), BY_NAME);
        refused(
                t,
                "holds a java.lang.Double at .next.second, not a java.lang.Integer",
                new Pair<>("x", 1, new Pair<String, Object>("y", 0.5, null)),
                PAIR);
        refused(
                t,
                "holds a java.lang.Long at [0], not a java.lang.Integer",
                Optional.of(3L),
                new ObjectType<Optional<Integer>>() {});
        refused(
                t,
                "holds a java.lang.String at [1][0], not a java.lang.Integer",
                new List<?>[] {List.of(), List.of("x")},
                new ObjectType<List<Integer>[]>() {});
    }

    private static void refused(Trial t, String text, Object value, ObjectType<?> type) {
        MpiException e = Check.fails(ErrorClass.ERR_TYPE, () -> exchanged(t, value, type));
        Check.same(
                "sendrecvObject: message from rank " + t.left() + ", tag 0, " + text + " (" + t.where() + ")",
                e.getMessage(),
                "text");
        Check.same(MpiException.Scope.MESSAGE, e.scope(), "scope");
    }

    @Contract
    public static void requestRejectsAWrongType(Trial t) {
        ObjectRequest<List<Integer>> r = t.world().irecvObject(NUMBERS, t.left(), 3);
        String shown = r.toString();
        Check.same("irecvObject(List<Integer>, source=" + t.left() + ", tag=3)", shown, "text of the request");
        t.world().isendObject(List.of(1, "two"), t.right(), 3).await();
        for (int i = 0; i < 2; i++) {
            MpiException e = Check.fails(ErrorClass.ERR_TYPE, r::awaitObject);
            Check.that(String.valueOf(e.getMessage()).contains("holds a java.lang.String at [1]"), e.getMessage() + "");
        }
    }

    @Contract
    public static void broadcastRejectsAWrongTypeAtTheRoot(Trial t) {
        Object wrong = List.of(1, "two");
        if (t.rank() == 0) {
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "bcastObject: value holds a java.lang.String at [1], not a java.lang.Integer (" + t.where() + ")",
                    () -> t.world().bcastObject(new ObjectType<>() {}, numbers(wrong), 0));
        }
        t.world().barrier();
    }

    @SuppressWarnings("unchecked") // a program with wrong type arguments
    private static List<Integer> numbers(Object value) {
        return (List<Integer>) value;
    }

    private static <T> ObjectType<List<T>> unknown() {
        return new ObjectType<>() {};
    }

    @Contract
    @SuppressWarnings("rawtypes")
    public static void typesThatCannotBeChecked(Trial t) {
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "ObjectType: java.util.List<T> cannot be checked: T is a type variable; name a type",
                ObjectTypeContract::unknown);
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "ObjectType: java.util.function.Supplier<java.lang.String> cannot be checked:"
                        + " java.util.function.Supplier is not a collection, map, optional or record, so the type"
                        + " arguments cannot be checked",
                () -> new ObjectType<Supplier<String>>() {});
        ObjectType<?>[] made = new ObjectType<?>[1];
        MpiException e = Check.fails(ErrorClass.ERR_TYPE, () -> made[0] = new ObjectType() {});
        Check.that(
                String.valueOf(e.getMessage()).endsWith("write new ObjectType<List<Task>>() {}"), e.getMessage() + "");
        Check.same("java.util.List<java.lang.Integer>", NUMBERS.toString(), "text");
    }

    @Contract(minRanks = 2)
    public static void receiveReturnsTheSource(Trial t) {
        Comm w = t.world();
        if (t.rank() != 0) {
            w.sendObject("from " + t.rank(), 0, t.rank());
            return;
        }
        boolean[] seen = new boolean[t.size()];
        for (int i = 1; i < t.size(); i++) {
            Received<String> r = w.recvObjectWithStatus(String.class);
            Status s = r.status();
            Check.same("from " + s.source(), r.value(), "object");
            Check.same(s.source(), r.source(), "source");
            Check.same(s.source(), r.tag(), "tag");
            Check.that(s.sizeBytes() > 0, "length");
            Check.that(!seen[s.source()], "two from " + s.source());
            seen[s.source()] = true;
        }
    }

    @Contract
    public static void statusOfProcNullAndOfNull(Trial t) {
        Comm w = t.world();
        Received<String> fromProcNull = w.recvObjectWithStatus(String.class, Comm.PROC_NULL);
        Check.same(null, fromProcNull.value(), "object from PROC_NULL");
        Check.same(Comm.PROC_NULL, fromProcNull.source(), "source of PROC_NULL");
        Request send = w.isendObject(null, t.right(), 8);
        Received<String> r = w.recvObjectWithStatus(String.class, t.left(), 8);
        Check.same(null, r.value(), "null");
        Check.same(t.left(), r.source(), "source of null");
        Check.same(8, r.tag(), "tag of null");
        send.await();
        Request number = w.isendObject(5, t.right(), 9);
        MpiException e = Check.fails(ErrorClass.ERR_TYPE, () -> w.recvObjectWithStatus(String.class, t.left(), 9));
        Check.that(String.valueOf(e.getMessage()).startsWith("recvObject: message from rank "), e.getMessage() + "");
        number.await();
    }
}
