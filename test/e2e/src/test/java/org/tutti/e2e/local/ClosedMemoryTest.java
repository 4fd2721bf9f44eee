package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.Op;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Tutti;
import org.tutti.mpi.Window;

/// Memory of a closed arena, or of the confined arena of a different thread, causes `ERR_BUFFER` in every call.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClosedMemoryTest {
    private static final String CLOSED = "the buffer's arena is closed; keep it open until the call is complete";
    private static final String CONFINED = "the buffer is in a confined arena of another thread; use mpi.arena()";

    /// A call that each rank makes with inaccessible memory.
    private interface Call {
        void run(Comm world, Buf x, int count);
    }

    private static final Map<String, Call> CALLS = new LinkedHashMap<>();

    static {
        CALLS.put("bcast", (w, x, k) -> w.bcast(x, 0));
        CALLS.put("ibcast", (w, x, k) -> w.ibcast(x, 0).await());
        CALLS.put("allreduce", (w, x, k) -> w.allreduce(x, Op.SUM));
        CALLS.put(
                "iallreduce", (w, x, k) -> w.iallreduce(Buf.IN_PLACE, x, Op.SUM).await());
        CALLS.put("allreduceInit", (w, x, k) -> {
            try (PersistentRequest r = w.allreduceInit(Buf.IN_PLACE, x, Op.SUM)) {
                r.start();
                r.await();
            }
        });
        CALLS.put("reduce", (w, x, k) -> w.reduce(buf(new double[k]), x, Op.SUM, 0));
        CALLS.put("gather", (w, x, k) -> w.gather(x, w.rank() == 0 ? buf(new double[w.size() * k]) : Buf.NONE, 0));
        CALLS.put("scatter", (w, x, k) -> w.scatter(w.rank() == 0 ? buf(new double[w.size() * k]) : Buf.NONE, x, 0));
        CALLS.put("allgather", (w, x, k) -> w.allgather(buf(new double[k / w.size()]), x));
        CALLS.put("alltoall", (w, x, k) -> w.alltoall(x, buf(new double[k])));
        CALLS.put("reduceScatterBlock", (w, x, k) -> w.reduceScatterBlock(x, buf(new double[k / w.size()]), Op.SUM));
        CALLS.put("scan", (w, x, k) -> w.scan(buf(new double[k]), x, Op.SUM));
        CALLS.put("sendrecv", (w, x, k) -> w.sendrecv(buf(new double[k]), next(w), x, next(w)));
    }

    private static int next(Comm w) {
        return w.size() - 1 - w.rank();
    }

    private static Buf closed(int count) {
        try (Arena arena = Arena.ofShared()) {
            return buf(arena.allocate(8L * count, 8), Datatype.DOUBLE);
        }
    }

    private static Buf ofOtherThread(int count) {
        Buf[] made = new Buf[1];
        Thread other = new Thread(() -> made[0] = buf(Arena.ofConfined().allocate(8L * count, 8), Datatype.DOUBLE));
        other.start();
        try {
            other.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return made[0];
    }

    static Stream<Arguments> calls() {
        return CALLS.keySet().stream()
                .flatMap(call -> Stream.of(1, 2, 3)
                        .flatMap(ranks -> Stream.of(6, 120_000).map(count -> Arguments.of(call, ranks, count))));
    }

    /// Returns the exceptions that the ranks of a job throw. A rank that waits for a failed rank fails together
    /// with the job.
    private static List<Throwable> thrown(int ranks, Call call, Buf x, int count) {
        ConcurrentLinkedQueue<Throwable> all = new ConcurrentLinkedQueue<>();
        Throwable _ = catchThrowable(() -> Tutti.local(ranks, mpi -> {
            Throwable why = catchThrowable(() -> call.run(mpi.world(), x, count));
            if (why == null) return;
            all.add(why);
            if (why instanceof RuntimeException e) throw e;
            throw new AssertionError(why);
        }));
        return List.copyOf(all);
    }

    private static void check(String call, int ranks, Buf x, int count, String text) {
        List<Throwable> all = thrown(ranks, CALLS.get(call), x, count);
        assertThat(all).isNotEmpty().allSatisfy(e -> assertThat(e).isInstanceOf(MpiException.class));
        assertThat(all)
                .anySatisfy(e -> assertThat(e)
                        .hasMessageStartingWith(call + ": " + text)
                        .extracting(m -> ((MpiException) m).errorClass())
                        .isEqualTo(ErrorClass.ERR_BUFFER))
                .allSatisfy(e -> assertThat(e.getMessage()).doesNotContain("java.lang."));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void closedArena(String call, int ranks, int count) {
        check(call, ranks, closed(count), count, CLOSED);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void confinedArena(String call, int ranks, int count) {
        check(call, ranks, ofOtherThread(count), count, CONFINED);
    }

    /// The elements have gaps, so the call packs the data.
    @Test
    void closedArenaWithGaps() {
        MemorySegment memory;
        try (Arena arena = Arena.ofShared()) {
            memory = arena.allocate(8 * 12, 8);
        }
        Buf column = buf(memory, 0, 1, Datatype.DOUBLE.vector(6, 1, 2));
        for (String call : List.of("bcast", "allgather", "sendrecv")) {
            List<Throwable> all = thrown(1, CALLS.get(call), column, 6);
            assertThat(all)
                    .singleElement()
                    .satisfies(e -> assertThat(e)
                            .isInstanceOf(MpiException.class)
                            .hasMessageStartingWith(call + ": " + CLOSED));
        }
    }

    @ParameterizedTest
    @MethodSource("lengths")
    void arenaThatIsClosedDuringAReceive(int count) {
        Call receive = (w, x, k) -> {
            if (w.rank() == 0) {
                w.recv(buf(new byte[1]), 1, 1);
                w.send(buf(new double[k]), 1);
                return;
            }
            Arena arena = Arena.ofShared();
            Request pending = w.irecv(buf(arena.allocate(8L * k, 8), Datatype.DOUBLE), 0);
            arena.close();
            w.send(buf(new byte[1]), 0, 1);
            pending.await();
        };
        assertThat(thrown(2, receive, Buf.NONE, count))
                .anySatisfy(
                        e -> assertThat(e).isInstanceOf(MpiException.class).hasMessageStartingWith("irecv: " + CLOSED));
    }

    static Stream<Integer> lengths() {
        return Stream.of(4, 500_000);
    }

    @Test
    void accessesToWindowsAndFiles(@TempDir Path directory) {
        String name = directory.resolve("data").toString();
        Map<String, Call> calls = Map.of(
                "put",
                (w, x, k) -> {
                    try (Window window = Window.allocate(w, 8L * k)) {
                        window.lock(0);
                        try {
                            window.put(x, 0);
                        } finally {
                            window.unlock(0);
                        }
                    }
                },
                "writeAt",
                (w, x, k) -> {
                    try (MpiFile f = MpiFile.open(w, name, MpiFile.Mode.CREATE, MpiFile.Mode.RDWR)) {
                        f.writeAt(0, x);
                    }
                },
                "writeAtAll",
                (w, x, k) -> {
                    try (MpiFile f = MpiFile.open(w, name, MpiFile.Mode.CREATE, MpiFile.Mode.RDWR)) {
                        f.writeAtAll(0, x);
                    }
                });
        calls.forEach((operation, call) -> {
            for (Buf x : List.of(closed(4), ofOtherThread(4))) {
                List<Throwable> all = thrown(1, call, x, 4);
                assertThat(all)
                        .singleElement()
                        .satisfies(e -> assertThat(e)
                                .isInstanceOf(MpiException.class)
                                .hasMessageStartingWith(operation + ": ")
                                .hasMessageFindingMatch("the buffer's arena is closed|of another thread; use mpi.arena")
                                .extracting(m -> ((MpiException) m).errorClass())
                                .isEqualTo(ErrorClass.ERR_BUFFER));
            }
        });
    }
}
