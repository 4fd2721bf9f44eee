package org.tutti.spi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.tutti.spi.type.ElementType;

/// An allgather of several `long`s. Engines use it to create communicators and windows, and the API uses it for
/// files.
public final class LongExchange {
    private LongExchange() {}

    /// Returns the call, which has not been started. The operand `recv` receives the values of all ranks, in
    /// rank order. All ranks pass the same number of values.
    public static Collective call(Engine engine, String operation, CommPort port, long... mine) {
        return fill(engine.collective(), operation, port, mine);
    }

    /// Fills in a blank call, and returns it.
    public static Collective fill(Collective blank, String operation, CommPort port, long... mine) {
        int place = CallSignature.placeOf(operation);
        Collective call =
                blank.fill(operation, port, Collective.Kind.ALLGATHER, place).withinAll();
        call.send.memory = Memory.ofArray(mine);
        call.recv.memory = Memory.ofArray(new long[mine.length * port.size()]);
        call.send.type = ElementType.LONG;
        call.recv.type = ElementType.LONG;
        call.send.count = mine.length;
        call.recv.count = mine.length;
        return call;
    }

    /// Runs the call.
    public static void run(Engine engine, Collective call) {
        engine.run(call);
        Throwable why = call.failure();
        if (why instanceof RuntimeException e) throw e;
        if (why != null) throw new IllegalStateException(why);
    }

    /// Exchanges the values. Returns the values of all ranks, in rank order.
    public static long[] words(Engine engine, String operation, CommPort port, long... mine) {
        Collective call = call(engine, operation, port, mine);
        run(engine, call);
        return call.recv.memory.segment().toArray(JAVA_LONG);
    }
}
