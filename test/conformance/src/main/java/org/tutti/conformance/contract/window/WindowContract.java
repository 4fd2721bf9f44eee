package org.tutti.conformance.contract.window;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Comparison;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Window;

/// Creation, attributes and close of windows. MPI 4.1, section 12.2.
public final class WindowContract {
    private WindowContract() {}

    @Contract
    public static void eachRankHasTheRequestedMemory(Trial t) {
        for (long each : new long[] {0, 1, 1000, 5000}) {
            try (Window w = Window.allocate(t.world(), each * t.rank(), 1 << t.rank())) {
                for (int r = 0; r < t.size(); r++) {
                    Check.same(each * r, w.sizeBytes(r), "size of rank " + r);
                    Check.same(1 << r, w.unitBytes(r), "unit of rank " + r);
                }
                MemorySegment mine = w.memory();
                Check.same(each * t.rank(), mine.byteSize(), "bytes of the memory");
                Check.same(0, mine.address() % 64, "alignment");
                for (long i = 0; i < mine.byteSize(); i++) Check.same(0, mine.get(ValueLayout.JAVA_BYTE, i), "a byte");
                mine.fill((byte) t.rank());
                w.fence();
                Check.that(w.flavor() == Window.Flavor.ALLOCATE, "flavor");
                Check.that(w.group().compare(t.world().group()) == Comparison.IDENT, "group");
                Check.that(w.name().startsWith("WORLD.window"), "name " + w.name());
                w.setName("field");
                Check.same("Window (rank " + t.rank() + " of " + t.size() + ", field)", w.toString(), "as a text");
                for (long i = 0; i < mine.byteSize(); i++) {
                    Check.same(t.rank(), mine.get(ValueLayout.JAVA_BYTE, i), "byte " + i + ", filled by this rank");
                }
            }
        }
    }

    @Contract
    public static void sharedMemoryIsContiguous(Trial t) {
        try (Window w = Window.shared(t.world(), 8L * (t.rank() % 2 + 1), 8)) {
            Check.that(w.flavor() == Window.Flavor.SHARED, "flavor");
            for (int r = 1; r < t.size(); r++) {
                long before = w.memory(r - 1).address() + w.sizeBytes(r - 1);
                Check.same(before, w.memory(r).address(), "where the memory of rank " + r + " begins");
            }
            Check.same(w.memory(0).address(), w.memory(Comm.PROC_NULL).address(), "memory of PROC_NULL");
            w.memory().set(ValueLayout.JAVA_LONG, 0, 100 + t.rank());
            w.fence();
            for (int r = 0; r < t.size(); r++) {
                Check.same(100 + r, w.memory(r).get(ValueLayout.JAVA_LONG, 0), "value stored by rank " + r);
            }
            w.fence();
        }
    }

    @Contract
    public static void sharedMemoryMayBeNoncontiguous(Trial t) {
        Map<String, String> apart = Map.of("alloc_shared_noncontig", "true");
        try (Window w = Window.shared(t.world(), 8, 1, apart)) {
            Check.same(apart, w.info(), "info");
            for (int r = 0; r < t.size(); r++) Check.same(0, w.memory(r).address() % 64, "alignment of rank " + r);
            w.memory(t.right()).set(ValueLayout.JAVA_LONG, 0, t.rank());
            w.fence();
            Check.same(t.left(), w.memory().get(ValueLayout.JAVA_LONG, 0), "value stored by the left rank");
        }
    }

    /// The memory of `PROC_NULL` is the memory of the first rank with a nonempty part.
    @Contract(minRanks = 2)
    public static void sharedMemoryOfTheFirstNonemptyRank(Trial t) {
        try (Window w = Window.shared(t.world(), t.rank() == 1 ? 24 : 0)) {
            Check.same(w.memory(1).address(), w.memory(Comm.PROC_NULL).address(), "memory of PROC_NULL");
            Check.same(24, w.memory(Comm.PROC_NULL).byteSize(), "length of the memory of PROC_NULL");
        }
    }

    @Contract
    public static void windowsOnSubcommunicators(Trial t) {
        try (OwnedComm half = t.world().split(t.rank() % 2, -t.rank());
                Window w = Window.allocate(half, 8, 8)) {
            int right = (half.rank() + 1) % half.size();
            w.fence();
            w.put(buf(new long[] {t.rank() + 1000}), right);
            w.fence();
            int left = (half.rank() + half.size() - 1) % half.size();
            long expected =
                    half.group().translateRanks(new int[] {left}, t.world().group())[0] + 1000L;
            Check.same(expected, w.memory().get(ValueLayout.JAVA_LONG, 0), "value put by the left rank");
        }
    }

    /// A rank's memory remains accessible to other ranks after the rank has closed the window.
    @Contract(minRanks = 2)
    public static void closingIsLocal(Trial t) {
        Window w = Window.allocate(t.world(), 1 << 16);
        MemorySegment mine = w.memory();
        mine.fill((byte) 7);
        t.world().barrier();
        String closed = t.rank() == 0 ? Check.nextLine() : "";
        if (t.rank() == 0) w.close();
        t.world().barrier();
        if (t.rank() != 0) {
            byte[] got = new byte[1 << 16];
            w.lock(0);
            w.get(buf(got), 0);
            w.unlock(0);
            for (byte b : got) Check.same(7, b, "a byte of the rank that has closed it");
            closed = Check.nextLine();
            w.close();
        }
        w.close();
        Check.rejects(
                ErrorClass.ERR_WIN,
                "memory: the window " + w.name() + " was closed at " + closed + " (rank " + t.rank() + " of " + t.size()
                        + ", " + w.name() + ")",
                w::memory);
        t.world().barrier();
    }

    /// Threads create windows at the same time, and the order in which a rank closes windows differs between
    /// ranks.
    @Contract(maxRanks = 3, slow = true)
    public static void threadsCreateSeparateWindows(Trial t) throws Exception {
        List<Thread> all = new ArrayList<>();
        List<OwnedComm> comms = new ArrayList<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int i = 0; i < 3; i++) {
            OwnedComm own = t.world().dup();
            comms.add(own);
            all.add(Thread.ofPlatform()
                    .uncaughtExceptionHandler((_, e) -> failure.set(e))
                    .start(() -> {
                        for (int k = 0; k < 3; k++) makeSome(own);
                    }));
        }
        for (Thread thread : all) thread.join();
        if (failure.get() != null) throw new AssertionError("in a thread", failure.get());
        comms.forEach(OwnedComm::close);
    }

    private static void makeSome(Comm comm) {
        List<Window> made = new ArrayList<>();
        for (int k = 0; k < 3; k++) made.add(Window.allocate(comm, 64));
        for (Window w : made) {
            w.fence();
            w.put(buf(new long[] {comm.rank()}), (comm.rank() + 1) % comm.size());
            w.fence();
        }
        if (comm.rank() % 2 == 1) Collections.reverse(made);
        made.forEach(Window::close);
    }

    @Contract
    public static void freeingIsCollective(Trial t) {
        Window w = Window.allocate(t.world(), 64);
        w.fence();
        w.free();
        Check.fails(ErrorClass.ERR_WIN, w::fence);
    }

    /// Memory of closed windows is reused and filled with zeros. At most two ranks, because MPICH needs 0.1 s
    /// to create a window if ranks share cores.
    @Contract(maxRanks = 2, slow = true)
    public static void closedWindowsReleaseMemory(Trial t) {
        int most = 1 << 20;
        for (int i = 0; i < 300; i++) {
            try (Window w = i % 2 == 0 ? Window.allocate(t.world(), most) : Window.shared(t.world(), most)) {
                MemorySegment mine = w.memory();
                for (int at = 0; at < most; at += 65_536) Check.same(0, mine.get(ValueLayout.JAVA_BYTE, at), "a byte");
                mine.fill((byte) i);
            }
        }
    }

    /// If one rank has too little memory, the call fails on all ranks, and the job continues.
    @Contract
    public static void exhaustedMemoryFailsOnAllRanks(Trial t) {
        int poor = t.size() - 1;
        MpiException e =
                Check.fails(ErrorClass.ERR_NO_MEM, () -> Window.allocate(t.world(), t.rank() == poor ? 1L << 60 : 8));
        String begin = t.rank() == poor
                ? "allocate: "
                : "allocate: rank " + poor + " has too little memory for " + (1L << 60) + " bytes (";
        Check.that(String.valueOf(e.getMessage()).startsWith(begin), "text: " + e.getMessage());
        e = Check.fails(ErrorClass.ERR_NO_MEM, () -> Window.shared(t.world(), Long.MAX_VALUE / 2));
        Check.that(String.valueOf(e.getMessage()).startsWith("shared: "), "text: " + e.getMessage());
        t.world().barrier();
    }
}
