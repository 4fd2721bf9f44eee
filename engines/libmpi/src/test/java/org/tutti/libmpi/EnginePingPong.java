package org.tutti.libmpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.Engine;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.type.ElementType;

/// `mpirun -n 2 java … EnginePingPong [bytes]`: the engine's latency, for comparison with an equivalent C
/// program.
final class EnginePingPong {
    private static final int ROUNDS = 20, EACH = 10_000;

    private EnginePingPong() {}

    public static void main(String[] args) {
        int bytes = args.length > 0 ? Integer.parseInt(args[0]) : 8;
        Engine engine = new LibmpiProvider().open(RankEnvironment.current());
        Memory there = Memory.of(engine.allocator().allocate(bytes));
        Memory heap = Memory.of(MemorySegment.ofArray(new byte[bytes]));
        measure("native " + bytes + " B", engine, there, ElementType.BYTE, Transfer.Kind.RECV);
        measure("heap   " + bytes + " B", engine, heap, ElementType.BYTE, Transfer.Kind.RECV);
        measure("object " + bytes + " B", engine, there, ElementType.OBJECT, Transfer.Kind.RECV_ALLOCATE);
        collective(engine);
        engine.job().leave();
    }

    private static void measure(String what, Engine engine, Memory memory, ElementType type, Transfer.Kind receive) {
        int me = engine.communicators().world().rank();
        int peer = 1 - me;
        if (me > 1) return;
        long bytes = memory.segment().byteSize();
        Transfer send =
                engine.transfer().fill("send", engine.communicators().world(), Transfer.Kind.SEND, peer, 1, type);
        Transfer recv = engine.transfer().fill("recv", engine.communicators().world(), receive, peer, 1, type);
        MemorySegment room = Arena.global().allocate(Math.max(bytes, 1));
        Memory into = receive == Transfer.Kind.RECV ? memory : Memory.NONE;
        recv.allocator = n -> room;
        double[] nanos = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            long begin = System.nanoTime();
            for (int i = 0; i < EACH; i++) {
                Activity first = me == 0 ? send.at(memory, 0, bytes) : recv.at(into, 0, bytes);
                engine.run(first);
                Activity second = me == 0 ? recv.at(into, 0, bytes) : send.at(memory, 0, bytes);
                engine.run(second);
            }
            nanos[round] = (System.nanoTime() - begin) / (2.0 * EACH);
        }
        report(me, what, nanos);
    }

    private static void collective(Engine engine) {
        Memory send = Memory.of(engine.allocator().allocate(8)),
                recv = Memory.of(engine.allocator().allocate(8));
        Collective c = engine.collective();
        double[] nanos = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            long begin = System.nanoTime();
            for (int i = 0; i < EACH; i++) {
                c.fill("allreduce", engine.communicators().world(), Collective.Kind.ALLREDUCE, 0);
                c.send.memory = send;
                c.recv.memory = recv;
                c.send.count = 1;
                c.send.type = ElementType.DOUBLE;
                c.op = PredefinedReduction.SUM;
                engine.run(c);
            }
            nanos[round] = (System.nanoTime() - begin) / (double) EACH;
        }
        report(engine.communicators().world().rank(), "allreduce 8 B", nanos);
    }

    private static void report(int me, String what, double[] nanos) {
        if (me != 0) return;
        double[] warm = Arrays.copyOfRange(nanos, ROUNDS / 2, ROUNDS);
        Arrays.sort(warm);
        System.out.printf("%-20s median %8.1f ns, best %8.1f ns%n", what, warm[warm.length / 2], warm[0]);
    }
}
