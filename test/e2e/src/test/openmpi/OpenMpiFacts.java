// The common part of programs with facts: prints a fact, and messages about wrong values and errors.

import java.util.*;
import mpi.*;

abstract class OpenMpiFacts {
    interface Fact {
        void check() throws Exception;
    }

    static Intracomm w;
    static int me, n, next, before;

    static void fact(String name, Fact fact) throws Exception {
        String wrong = "";
        try {
            fact.check();
        } catch (Throwable t) {
            StackTraceElement at = Arrays.stream(t.getStackTrace())
                    .filter(f -> f.getClassName().contains("Facts") && !f.getClassName().startsWith("OpenMpiFacts"))
                    .findFirst().orElse(null);
            wrong = "rank " + me + ": " + t + " at " + at;
        }
        if (!wrong.isEmpty()) System.out.println("FAILED " + name + ": " + wrong);
        w.barrier();
        if (me == 0) System.out.println("ok " + name);
    }

    static void same(Object a, Object b) {
        if (!Objects.deepEquals(a, b)) throw new AssertionError(show(a) + " is not " + show(b));
    }

    static String show(Object o) {
        return Arrays.deepToString(new Object[] {o});
    }

    interface Call {
        void run() throws Exception;
    }

    static <T extends Throwable> T fails(Class<T> kind, Call call) {
        try {
            call.run();
        } catch (Throwable t) {
            if (kind.isInstance(t)) return kind.cast(t);
            throw new AssertionError(t);
        }
        throw new AssertionError("no exception");
    }

    static void code(int code, Call call) {
        MPIException e = fails(MPIException.class, call);
        same(e.getErrorClass(), code);
        same(e.getErrorCode(), code);
    }

    /// Must be called after MPI.Init.
    static void begin() throws MPIException {
        w = MPI.COMM_WORLD;
        me = w.getRank();
        n = w.getSize();
        next = (me + 1) % n;
        before = (me + n - 1) % n;
        w.setErrhandler(MPI.ERRORS_RETURN);
    }
}
