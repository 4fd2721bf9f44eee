package org.tutti.inspect.calls;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Measures the differences between the clocks of several machines: each rank requests rank 0's time several
/// times. The fastest answer has the smallest error; the age of an answer is half of the round-trip time.
final class Clocks {
    private static final int QUESTIONS = 24;
    private static final int TAG = 0x434c; // a tag that no message of a program has

    private Clocks() {}

    /// Returns the difference between rank 0's System.nanoTime and this rank's System.nanoTime. Collective over
    /// the world: rank 0 answers the ranks one after the other.
    static long offset(Engine engine) {
        CommPort world = engine.communicators().world();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment bytes = arena.allocate(Long.BYTES, Long.BYTES);
            Memory memory = Memory.of(bytes);
            if (world.rank() > 0) return ask(engine, world, bytes, memory);
            for (int rank = 1; rank < world.size(); rank++) {
                for (int i = 0; i < QUESTIONS; i++) {
                    run(engine, world, Transfer.Kind.RECV, rank, memory);
                    bytes.set(ValueLayout.JAVA_LONG, 0, System.nanoTime());
                    run(engine, world, Transfer.Kind.SEND, rank, memory);
                }
            }
            return 0;
        }
    }

    private static long ask(Engine engine, CommPort world, MemorySegment bytes, Memory memory) {
        long quickest = Long.MAX_VALUE;
        long offset = 0;
        for (int i = 0; i < QUESTIONS; i++) {
            long asked = System.nanoTime();
            run(engine, world, Transfer.Kind.SEND, 0, memory);
            run(engine, world, Transfer.Kind.RECV, 0, memory);
            long took = System.nanoTime() - asked;
            if (took >= quickest) continue;
            quickest = took;
            offset = bytes.get(ValueLayout.JAVA_LONG, 0) - (asked + took / 2);
        }
        return offset;
    }

    private static void run(Engine engine, CommPort world, Transfer.Kind kind, int peer, Memory memory) {
        Transfer t = engine.transfer();
        t.fill("init", world, kind, peer, TAG, ElementType.BYTE).at(memory, 0, Long.BYTES);
        engine.run(t.within(Transfer.Lane.MAKING, peer, null));
        if (t.failure() instanceof RuntimeException e) throw e;
    }
}
