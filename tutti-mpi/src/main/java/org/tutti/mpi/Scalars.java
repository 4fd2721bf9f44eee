package org.tutti.mpi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;

/// Collective operations on one value, which lies in memory of the thread instead of a buffer.
final class Scalars {
    private final Mpi mpi;
    private final CommPort port;
    private final CollectiveChecks check;

    Scalars(Mpi mpi, CommPort port) {
        this.mpi = mpi;
        this.port = port;
        check = new CollectiveChecks(port);
    }

    double bcast(Engine engine, double value, int root) {
        Scratch s = mpi.scratch();
        s.scalarOut.set(JAVA_DOUBLE, 0, value);
        bcast(engine, s, Datatype.DOUBLE, root);
        return s.scalarOut.get(JAVA_DOUBLE, 0);
    }

    long bcast(Engine engine, long value, int root) {
        Scratch s = mpi.scratch();
        s.scalarOut.set(JAVA_LONG, 0, value);
        bcast(engine, s, Datatype.LONG, root);
        return s.scalarOut.get(JAVA_LONG, 0);
    }

    int bcast(Engine engine, int value, int root) {
        Scratch s = mpi.scratch();
        s.scalarOut.set(JAVA_INT, 0, value);
        bcast(engine, s, Datatype.INT, root);
        return s.scalarOut.get(JAVA_INT, 0);
    }

    double combine(Engine engine, String operation, Kind kind, int root, double value, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_DOUBLE, 0, value);
        combine(engine, s, operation, kind, root, Datatype.DOUBLE, op);
        return s.scalarOut.get(JAVA_DOUBLE, 0);
    }

    long combine(Engine engine, String operation, Kind kind, int root, long value, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_LONG, 0, value);
        combine(engine, s, operation, kind, root, Datatype.LONG, op);
        return s.scalarOut.get(JAVA_LONG, 0);
    }

    int combine(Engine engine, String operation, Kind kind, int root, int value, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_INT, 0, value);
        combine(engine, s, operation, kind, root, Datatype.INT, op);
        return s.scalarOut.get(JAVA_INT, 0);
    }

    DoubleInt allreduce(Engine engine, double value, int place, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_DOUBLE, 0, value);
        s.scalarIn.set(JAVA_INT, Double.BYTES, place);
        combine(engine, s, "allreduce", Kind.ALLREDUCE, 0, Datatype.DOUBLE_INT, op);
        return new DoubleInt(s.scalarOut.get(JAVA_DOUBLE, 0), s.scalarOut.get(JAVA_INT, Double.BYTES));
    }

    LongInt allreduce(Engine engine, long value, int place, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_LONG, 0, value);
        s.scalarIn.set(JAVA_INT, Long.BYTES, place);
        combine(engine, s, "allreduce", Kind.ALLREDUCE, 0, Datatype.LONG_INT, op);
        return new LongInt(s.scalarOut.get(JAVA_LONG, 0), s.scalarOut.get(JAVA_INT, Long.BYTES));
    }

    private void bcast(Engine engine, Scratch s, Datatype type, int root) {
        int at = check.root("bcast", root);
        Collective c = s.collective().fill("bcast", port, Kind.BCAST, at);
        c.recv = s.scalarOutMemory;
        c.count = 1;
        c.type = type;
        run(engine, c);
    }

    private void combine(Engine engine, Scratch s, String operation, Kind kind, int root, Datatype type, Op op) {
        if (kind == Kind.SCAN || kind == Kind.EXSCAN) CommHandle.checkOneGroup(operation, port);
        int at = kind.rooted() ? check.root(operation, root) : 0;
        check.op(operation, op, type);
        Collective c = s.collective().fill(operation, port, kind, at);
        c.send = s.scalarInMemory;
        c.recv = s.scalarOutMemory;
        c.count = 1;
        c.type = type;
        c.op = op;
        run(engine, c);
    }

    private static void run(Engine engine, Collective c) {
        engine.run(c);
        Throwable why = c.failure();
        if (why != null) throw Mpi.asRuntime(why);
    }
}
