package org.tutti.conformance.contract.environment;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.Session;

/// Memory of `Mpi.arena`, an arena with the semantics of Java's arenas.
public final class ArenaContract {
    private ArenaContract() {}

    @Contract
    public static void segmentsAreZeroedAndAligned(Trial t) {
        for (int round = 0; round < 2; round++) {
            try (Arena arena = t.mpi().arena()) {
                for (long alignment = 1; alignment <= 1 << 16; alignment *= 4) {
                    MemorySegment s = arena.allocate(100, alignment);
                    Check.same(100, s.byteSize(), "bytes");
                    Check.same(0, s.address() % Math.max(64, alignment), "offset from an alignment of " + alignment);
                    Check.same(-1, s.mismatch(MemorySegment.ofArray(new byte[100])), "first nonzero byte");
                    s.fill((byte) 7);
                }
                Check.same(0, arena.allocate(0, 1 << 12).byteSize(), "bytes of none");
                MemorySegment z = arena.allocate(ValueLayout.JAVA_DOUBLE, 10);
                Check.same(80, z.byteSize(), "bytes of ten doubles");
                MemorySegment copy = arena.allocateFrom(ValueLayout.JAVA_INT, 3, 1, 4);
                Check.same(4, copy.getAtIndex(ValueLayout.JAVA_INT, 2), "the third number");
            }
        }
    }

    @Contract
    public static void messagesAndReductionsOfSegments(Trial t) {
        int n = t.size();
        try (Arena arena = t.mpi().arena()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_DOUBLE, 40_000),
                    in = arena.allocate(ValueLayout.JAVA_DOUBLE, 40_000);
            for (int count : new int[] {1, 40_000}) {
                Buf send = buf(out, 0, count, Datatype.DOUBLE);
                Buf recv = buf(in, 0, count, Datatype.DOUBLE);
                for (int i = 0; i < count; i++) out.setAtIndex(ValueLayout.JAVA_DOUBLE, i, t.rank() + i);
                t.world().sendrecv(send, t.right(), recv, t.left());
                for (int i = 0; i < count; i++) {
                    Check.that(in.getAtIndex(ValueLayout.JAVA_DOUBLE, i) == t.left() + i, "number " + i);
                }
                t.world().allreduce(send, recv, Op.SUM);
                for (int i = 0; i < count; i++) {
                    double sum = n * (n - 1) / 2.0 + (double) n * i;
                    Check.that(in.getAtIndex(ValueLayout.JAVA_DOUBLE, i) == sum, "sum " + i);
                }
            }
            t.world().barrier();
        }
    }

    @Contract
    public static void arenasCloseIndependently(Trial t) {
        try (Arena outer = t.mpi().arena()) {
            MemorySegment kept = outer.allocate(100);
            kept.fill((byte) 5);
            try (Arena inner = t.mpi().arena()) {
                inner.allocate(100).fill((byte) 6);
            }
            try (Arena next = t.mpi().arena()) {
                next.allocate(100).fill((byte) 7);
            }
            Check.same(5, kept.get(ValueLayout.JAVA_BYTE, 99), "byte of the outer arena");
            Check.that(kept.scope().equals(outer.scope()) || !isScopedByArena(t), "the scope is not the arena's");
        }
    }

    @Contract
    public static void closedArenaIsRejected(Trial t) {
        Arena arena = t.mpi().arena();
        MemorySegment s = arena.allocate(64);
        Check.that(arena.scope().isAlive(), "the scope of an open arena is not alive");
        arena.close();
        Check.that(!arena.scope().isAlive(), "the scope of a closed arena is alive");
        Check.that(fails(arena::close) instanceof IllegalStateException, "a second close");
        Check.that(fails(() -> arena.allocate(8)) instanceof IllegalStateException, "an allocation after close");
        if (!isScopedByArena(t)) return;
        Check.that(fails(() -> s.get(ValueLayout.JAVA_BYTE, 0)) instanceof IllegalStateException, "a read after close");
        Check.fails(
                ErrorClass.ERR_BUFFER, () -> t.mpi().self().isend(buf(s), 0, 0).await());
    }

    @Contract
    public static void wrongArgumentsOfAllocate(Trial t) {
        try (Arena arena = t.mpi().arena()) {
            Check.that(fails(() -> arena.allocate(-1, 8)) instanceof IllegalArgumentException, "a negative size");
            Check.that(fails(() -> arena.allocate(8, 0)) instanceof IllegalArgumentException, "an alignment of 0");
            Check.that(fails(() -> arena.allocate(8, 24)) instanceof IllegalArgumentException, "an alignment of 24");
            MemorySegment s = arena.allocate(64);
            Check.fails(ErrorClass.ERR_BASE, () -> t.mpi().free(s));
        }
    }

    @Contract
    public static void exhaustedMemoryIsReported(Trial t) {
        try (Arena arena = t.mpi().arena()) {
            for (long bytes : new long[] {1L << 40, Long.MAX_VALUE - 8192, Long.MAX_VALUE}) {
                MpiException e = Check.fails(ErrorClass.ERR_NO_MEM, () -> arena.allocate(bytes));
                String text = String.valueOf(e.getMessage());
                Check.that(
                        text.startsWith("arena: ") && text.contains(bytes + " bytes"),
                        "error without the size: " + text);
            }
            Check.fails(ErrorClass.ERR_NO_MEM, () -> arena.allocate(1L << 40, 4096));
            Check.rejects(
                    ErrorClass.ERR_NO_MEM,
                    "arena: not enough memory for " + Long.MAX_VALUE + " bytes (" + t.where() + ")",
                    () -> arena.allocate(Long.MAX_VALUE, 4096));
            Check.same(0, arena.allocate(1 << 20).get(ValueLayout.JAVA_BYTE, 0), "byte of available memory");
        }
        t.world().barrier();
    }

    /// Some allocations reuse freed memory, which is zeroed again.
    @Contract
    public static void closeReleasesMemory(Trial t) {
        int rounds = 40;
        Set<Long> places = new HashSet<>();
        for (int i = 0; i < rounds; i++) {
            try (Arena arena = t.mpi().arena()) {
                MemorySegment s = arena.allocate(4 << 20);
                places.add(s.address());
                Check.same(0, s.get(ValueLayout.JAVA_BYTE, 5), "byte of a new segment");
                s.set(ValueLayout.JAVA_BYTE, 5, (byte) 1);
            }
        }
        Check.that(places.size() < rounds, "no memory was used again");
        t.world().barrier();
    }

    @Contract
    public static void severalThreadsUseOneArena(Trial t) throws InterruptedException {
        List<Throwable> failures = new ArrayList<>();
        List<MemorySegment> all = new ArrayList<>();
        try (Arena arena = t.mpi().arena()) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                byte mark = (byte) (i + 1);
                threads.add(Thread.ofVirtual().start(() -> {
                    try {
                        for (int k = 0; k < 50; k++) {
                            MemorySegment s = arena.allocate(256);
                            s.fill(mark);
                            synchronized (all) {
                                all.add(s);
                            }
                        }
                    } catch (RuntimeException | Error e) {
                        synchronized (failures) {
                            failures.add(e);
                        }
                    }
                }));
            }
            for (Thread thread : threads) thread.join();
            Check.that(failures.isEmpty(), "failures: " + failures);
            Check.same(200, all.size(), "segments");
            for (MemorySegment s : all) {
                byte mark = s.get(ValueLayout.JAVA_BYTE, 0);
                Check.same(mark, s.get(ValueLayout.JAVA_BYTE, 255), "last byte");
            }
        }
    }

    /// An arena with a pending request cannot be closed: the memory could be allocated again before the request
    /// is complete.
    @Contract
    public static void pendingRequestsKeepTheArenaOpen(Trial t) {
        try (Arena arena = t.mpi().arena();
                OwnedComm comm = t.world().dup()) {
            MemorySegment in = arena.allocate(8, 8), sum = arena.allocate(8, 8);
            Request receive = comm.irecv(buf(in), t.left(), 3);
            Check.rejects(
                    ErrorClass.ERR_PENDING,
                    "arena: 1 request with a buffer in this memory is pending: irecv(8 BYTE, source=" + t.left()
                            + ", tag=3)",
                    "; await or cancel all of these first (" + t.where() + ")",
                    arena::close);
            comm.barrier(); // all ranks have checked before one sends
            comm.send(buf(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}), t.right(), 3);
            receive.await();
            Check.same(0x0807060504030201L, in.get(ValueLayout.JAVA_LONG, 0), "data of the message");
            int[] go = new int[1];
            if (t.rank() > 0) comm.recv(buf(go), 0);
            Request reduction = comm.iallreduce(buf(in, Datatype.LONG), buf(sum, Datatype.LONG), Op.MAX);
            if (t.rank() == 0) {
                if (t.size() > 1) Check.fails(ErrorClass.ERR_PENDING, arena::close);
                for (int r = 1; r < t.size(); r++) comm.send(buf(go), r);
            }
            reduction.await();
            Check.that(arena.scope().isAlive(), "the arena was closed");
        }
    }

    @Contract
    public static void pendingRequestsKeepMemoryAllocated(Trial t) {
        MemorySegment memory = t.mpi().alloc(8);
        Request receive = t.world().irecv(buf(memory), t.left(), 4);
        Check.fails(ErrorClass.ERR_PENDING, () -> t.mpi().free(memory));
        t.world().barrier(); // all ranks have checked before one sends
        t.world().send(buf(new byte[8]), t.right(), 4);
        receive.await();
        t.mpi().free(memory);
    }

    @Contract
    public static void collectiveCallOnAClosedArena(Trial t) {
        MemorySegment freed;
        try (Arena arena = Arena.ofShared()) {
            freed = arena.allocate(8, 8);
        }
        Buf buf = buf(freed, Datatype.LONG);
        Comm self = t.mpi().self();
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "allreduce: the buffer's arena is closed; keep it open until the call is complete (rank 0 of 1,"
                        + " SELF)",
                () -> self.allreduce(buf, buf(new long[1]), Op.SUM));
    }

    @Contract
    public static void sessionsHaveArenas(Trial t) {
        try (Session session = Session.open();
                Arena arena = session.arena()) {
            Check.same(64, arena.allocate(64).byteSize(), "bytes");
        }
    }

    /// Returns whether segments have the arena's scope, which the shm engine cannot provide without native
    /// access.
    private static boolean isScopedByArena(Trial t) {
        try (Arena arena = t.mpi().arena()) {
            return arena.allocate(8).scope().equals(arena.scope());
        }
    }

    private static Throwable fails(Check.Action action) {
        try {
            action.run();
        } catch (Throwable e) {
            return e;
        }
        return new AssertionError("does not fail");
    }
}
