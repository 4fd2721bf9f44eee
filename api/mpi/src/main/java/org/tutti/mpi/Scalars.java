package org.tutti.mpi;

import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;
import org.tutti.spi.type.ElementType;

/// Collective operations on one value, which is stored in memory of the calling thread.
final class Scalars {
    private final Mpi mpi;
    private final CommPort port;
    private final CollectiveChecks check;

    Scalars(Mpi mpi, CommPort port) {
        this.mpi = mpi;
        this.port = port;
        check = new CollectiveChecks(port);
    }

    double bcast(EngineCalls engine, double value, int root) {
        Scratch s = mpi.scratch();
        s.scalarOut.set(JAVA_DOUBLE, 0, value);
        bcast(engine, s, ElementType.DOUBLE, root);
        return s.scalarOut.get(JAVA_DOUBLE, 0);
    }

    long bcast(EngineCalls engine, long value, int root) {
        Scratch s = mpi.scratch();
        s.scalarOut.set(JAVA_LONG, 0, value);
        bcast(engine, s, ElementType.LONG, root);
        return s.scalarOut.get(JAVA_LONG, 0);
    }

    int bcast(EngineCalls engine, int value, int root) {
        Scratch s = mpi.scratch();
        s.scalarOut.set(JAVA_INT, 0, value);
        bcast(engine, s, ElementType.INT, root);
        return s.scalarOut.get(JAVA_INT, 0);
    }

    float bcast(EngineCalls engine, float value, int root) {
        Scratch s = mpi.scratch();
        s.scalarOut.set(JAVA_FLOAT, 0, value);
        bcast(engine, s, ElementType.FLOAT, root);
        return s.scalarOut.get(JAVA_FLOAT, 0);
    }

    boolean bcast(EngineCalls engine, boolean value, int root) {
        Scratch s = mpi.scratch();
        s.scalarOut.set(JAVA_BOOLEAN, 0, value);
        bcast(engine, s, ElementType.BOOLEAN, root);
        return s.scalarOut.get(JAVA_BOOLEAN, 0);
    }

    double combine(EngineCalls engine, String operation, Kind kind, int root, double value, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_DOUBLE, 0, value);
        combine(engine, s, operation, kind, root, Datatype.DOUBLE, op);
        return s.scalarOut.get(JAVA_DOUBLE, 0);
    }

    long combine(EngineCalls engine, String operation, Kind kind, int root, long value, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_LONG, 0, value);
        combine(engine, s, operation, kind, root, Datatype.LONG, op);
        return s.scalarOut.get(JAVA_LONG, 0);
    }

    int combine(EngineCalls engine, String operation, Kind kind, int root, int value, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_INT, 0, value);
        combine(engine, s, operation, kind, root, Datatype.INT, op);
        return s.scalarOut.get(JAVA_INT, 0);
    }

    float combine(EngineCalls engine, String operation, Kind kind, int root, float value, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_FLOAT, 0, value);
        combine(engine, s, operation, kind, root, Datatype.FLOAT, op);
        return s.scalarOut.get(JAVA_FLOAT, 0);
    }

    boolean combine(EngineCalls engine, String operation, Kind kind, int root, boolean value, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_BOOLEAN, 0, value);
        combine(engine, s, operation, kind, root, Datatype.BOOLEAN, op);
        return s.scalarOut.get(JAVA_BOOLEAN, 0);
    }

    DoubleInt allreduce(EngineCalls engine, String operation, double value, int index, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_DOUBLE, 0, value);
        s.scalarIn.set(JAVA_INT, Double.BYTES, index);
        combine(engine, s, operation, Kind.ALLREDUCE, 0, Datatype.DOUBLE_INT, op);
        return new DoubleInt(s.scalarOut.get(JAVA_DOUBLE, 0), s.scalarOut.get(JAVA_INT, Double.BYTES));
    }

    LongInt allreduce(EngineCalls engine, String operation, long value, int index, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_LONG, 0, value);
        s.scalarIn.set(JAVA_INT, Long.BYTES, index);
        combine(engine, s, operation, Kind.ALLREDUCE, 0, Datatype.LONG_INT, op);
        return new LongInt(s.scalarOut.get(JAVA_LONG, 0), s.scalarOut.get(JAVA_INT, Long.BYTES));
    }

    private void bcast(EngineCalls engine, Scratch s, ElementType type, int root) {
        int at = check.root("bcast", root);
        Collective c = s.collective().fill("bcast", port, Kind.BCAST, at);
        c.recv.memory = s.scalarOutMemory;
        c.send.count = 1;
        c.send.type = type;
        run(engine, c);
    }

    private void combine(EngineCalls engine, Scratch s, String operation, Kind kind, int root, Datatype type, Op op) {
        int at = kind.rooted() ? check.root(operation, root) : 0;
        check.op(operation, op, type);
        Collective c = s.collective().fill(operation, port, kind, at);
        c.send.memory = s.scalarInMemory;
        c.recv.memory = s.scalarOutMemory;
        c.send.count = 1;
        c.send.type = type.elements();
        c.op = op.reduction();
        run(engine, c);
    }

    private static void run(EngineCalls engine, Collective c) {
        engine.run(c);
        Throwable why = c.failure();
        if (why != null) throw MpiException.asRuntime(why);
    }
}
