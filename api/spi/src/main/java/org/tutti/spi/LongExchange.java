package org.tutti.spi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.tutti.spi.type.ElementType;

/// All ranks of a communicator tell all a few words each, for what engines make together: communicators, windows.
public final class LongExchange {
    private LongExchange() {}

    /// The call by which they do, not yet started: its `recv` is filled with the words of all, in the order of
    /// ranks. Every rank tells as many.
    public static Collective call(Engine engine, String operation, CommPort port, long... mine) {
        return fill(engine.collective(), operation, port, mine);
    }

    /// The same call, made of a blank one.
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

    /// Makes the call, and waits until all have told.
    public static void run(Engine engine, Collective call) {
        engine.run(call);
        Throwable why = call.failure();
        if (why instanceof RuntimeException e) throw e;
        if (why != null) throw new IllegalStateException(why);
    }

    /// The words of all, in the order of ranks.
    public static long[] words(Engine engine, String operation, CommPort port, long... mine) {
        Collective call = call(engine, operation, port, mine);
        run(engine, call);
        return call.recv.memory.segment().toArray(JAVA_LONG);
    }
}
