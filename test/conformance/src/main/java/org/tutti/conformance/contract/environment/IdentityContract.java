package org.tutti.conformance.contract.environment;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;

/// The environment of a rank: rank, size, names, time, memory. MPI 4.1, sections 7.4.1 and 9.1.
public final class IdentityContract {
    private IdentityContract() {}

    @Contract
    public static void everyRankExistsOnce(Trial t) {
        int[] ranks = new int[t.size()];
        t.world().allgather(buf(new int[] {t.rank()}), buf(ranks));
        for (int r = 0; r < t.size(); r++) Check.same(r, ranks[r], "rank in block " + r);
    }

    @Contract
    public static void namesAppearInErrors(Trial t) {
        Check.same("WORLD", t.world().name(), "name of world");
        Check.same("SELF", t.mpi().self().name(), "name of self");
        Check.same("Comm (" + t.where() + ")", t.world().toString(), "world as a text");
        Check.that(!t.mpi().processorName().isBlank(), "processorName is blank");
        Check.that(
                t.mpi().engineName().equals("shm") || t.mpi().engineName().equals("libmpi"),
                "engineName is " + t.mpi().engineName());
        Check.that(!t.mpi().engineDescription().isBlank(), "engineDescription is blank");
        Check.that(t.mpi().toString().startsWith("Mpi (" + t.where()), "Mpi as a text: " + t.mpi());
    }

    @Contract
    public static void selfIsOneRank(Trial t) {
        Comm self = t.mpi().self();
        Check.same(0, self.rank(), "rank in self");
        Check.same(1, self.size(), "size of self");
        self.barrier();
        double[] x = {t.rank() + 0.5};
        self.bcast(buf(x), 0);
        self.allreduce(buf(x), org.tutti.mpi.Op.SUM);
        Check.that(x[0] == t.rank() + 0.5, "the sum over self is " + x[0]);
    }

    @Contract
    public static void tagsReachAtLeast32767(Trial t) {
        Check.that(
                t.world().tagUpperBound() >= 32767,
                "tagUpperBound is " + t.world().tagUpperBound());
        Check.same(t.world().tagUpperBound(), t.mpi().self().tagUpperBound(), "tagUpperBound of self");
    }

    @Contract
    public static void timeAdvancesInSeconds(Trial t) throws InterruptedException {
        double start = Mpi.wtime();
        Thread.sleep(20);
        double seconds = Mpi.wtime() - start;
        Check.that(seconds >= 0.019 && seconds < 60, "a sleep of 20 ms took " + seconds + " s by wtime");
        Check.that(Mpi.wtick() > 0 && Mpi.wtick() < 1e-3, "wtick is " + Mpi.wtick() + " s");
    }

    @Contract
    public static void launchIsReported(Trial t) {
        Map<String, String> info = t.mpi().startInfo();
        Check.same(Integer.toString(t.size()), info.get("maxprocs"), "maxprocs");
        Check.same("MPI_THREAD_MULTIPLE", info.get("thread_level"), "thread_level");
        Check.same(t.mpi().processorName(), info.get("host"), "host");
        Check.same(System.getProperty("user.dir"), info.get("wdir"), "wdir");
        Check.that(info.getOrDefault("command", "java").contains("java"), "command is " + info.get("command"));
    }

    /// A rank on one core is also on one object of each kind that contains the core.
    @Contract
    public static void hardwareIsNested(Trial t) {
        Map<String, Boolean> single = t.mpi().hardware();
        boolean last = false;
        for (String kind : List.of("PU", "Core", "NUMANode", "Package", "Machine")) {
            Check.that(single.containsKey("hwloc://" + kind), kind + " is not in " + single);
            boolean now = single.getOrDefault("hwloc://" + kind, false);
            Check.that(now || !last, "not limited to one " + kind + ", but to one smaller unit: " + single);
            last = now;
        }
        Check.same(true, last, "one machine");
    }

    @Contract
    public static void allocatedMemoryIsZeroedAndAligned(Trial t) {
        var a = t.mpi().alloc(1000);
        var b = t.mpi().alloc(1);
        var none = t.mpi().alloc(0);
        Check.same(1000, a.byteSize(), "bytes of alloc(1000)");
        Check.same(1, b.byteSize(), "bytes of alloc(1)");
        Check.same(0, none.byteSize(), "bytes of alloc(0)");
        Check.same(0, a.address() % 64, "alignment of alloc(1000)");
        Check.same(0, b.address() % 64, "alignment of alloc(1)");
        for (int i = 0; i < 1000; i++) Check.same(0, a.get(ValueLayout.JAVA_BYTE, i), "byte " + i);
        a.fill((byte) (t.rank() + 1));
        b.fill((byte) 99);
        t.world().barrier();
        for (int i = 0; i < 1000; i++) {
            Check.same(t.rank() + 1, a.get(ValueLayout.JAVA_BYTE, i), "byte " + i + ", written");
        }
    }

    @Contract
    public static void freedMemoryIsReused(Trial t) {
        int me = t.rank(), size = t.size();
        for (int i = 0; i < 40; i++) {
            long bytes = 1 + 5_000L * i;
            MemorySegment a = t.mpi().alloc(bytes),
                    b = t.mpi().alloc(64),
                    c = t.mpi().alloc(8192);
            for (MemorySegment m : List.of(a, b, c)) {
                Check.same(-1, m.mismatch(MemorySegment.ofArray(new byte[(int) m.byteSize()])), "first byte not zero");
                m.fill((byte) (me + 1));
            }
            t.mpi().free(b);
            int to = (me + 1) % size, from = (me + size - 1) % size;
            t.world().sendrecv(buf(a.asSlice(0, 1)), to, 0, buf(c.asSlice(0, 1)), from, 0);
            Check.same(from + 1, c.get(ValueLayout.JAVA_BYTE, 0), "byte of the rank before");
            t.mpi().free(c);
            t.mpi().free(a);
        }
    }

    @Contract
    public static void freeRejectsUnallocatedMemory(Trial t) {
        MemorySegment a = t.mpi().alloc(100);
        refusesToFree(t, MemorySegment.ofArray(new byte[100]), "100 bytes of memory in an array");
        refusesToFree(t, Arena.ofAuto().allocate(64), "that this rank's alloc has not returned");
        refusesToFree(t, a.asSlice(0, 50), "50 bytes of memory, the beginning of 100");
        refusesToFree(t, a.asSlice(64), "36 bytes of memory that this rank's alloc has not returned");
        t.mpi().free(a);
        boolean isFreed = !a.scope().isAlive();
        refusesToFree(t, a, isFreed ? "100 bytes of memory that was freed before" : "has not returned");
        if (isFreed) {
            MpiException e = Check.fails(
                    ErrorClass.ERR_BUFFER,
                    () -> t.mpi().self().isend(buf(a), 0, 0).await());
            Check.that(
                    String.valueOf(e.getMessage()).contains("closed"),
                    "error does not report closed memory: " + e.getMessage());
        }
        t.world().barrier();
    }

    private static void refusesToFree(Trial t, MemorySegment memory, String why) {
        MpiException e = Check.fails(ErrorClass.ERR_BASE, () -> t.mpi().free(memory));
        String text = String.valueOf(e.getMessage());
        Check.that(text.startsWith("free: ") && text.contains(why), "error without '" + why + "': " + text);
    }

    @Contract
    public static void allocReportsExhaustedMemory(Trial t) {
        for (long bytes : new long[] {1L << 40, Long.MAX_VALUE - 64, Long.MAX_VALUE}) {
            MpiException e = Check.fails(ErrorClass.ERR_NO_MEM, () -> t.mpi().alloc(bytes));
            String text = String.valueOf(e.getMessage());
            Check.that(
                    text.startsWith("alloc: ") && text.contains(bytes + " bytes"), "error without the size: " + text);
        }
        Check.same(0, t.mpi().alloc(1 << 20).get(ValueLayout.JAVA_BYTE, 0), "byte of available memory");
        t.world().barrier();
    }
}
