package org.tutti.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.os.PortablePlatform;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;
import org.tutti.spi.Collective;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.type.ElementType;

/// Engines of one job, called step by step, so that a rank can stop at an exact point.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShmEngineTest {
    /// Longs in a message that uses rendezvous.
    private static final int LONG = 200_000;

    static List<ShmEngine> engines(int size) {
        return engines(Segment.ofThisProcess(new PortablePlatform(), size, Arena.ofAuto()));
    }

    private static List<ShmEngine> engines(Segment segment) {
        Bells bells = Bells.ofThreads(segment);
        JobFailure failure = new JobFailure();
        return IntStream.range(0, segment.capacity())
                .mapToObj(r -> new ShmEngine(
                        segment,
                        bells,
                        new Place(r, segment.capacity(), 0),
                        null,
                        failure,
                        (_, _, _) -> {},
                        "test",
                        new IdleStrategy(1_000, 1_000),
                        new ReentrantLock(),
                        null))
                .toList();
    }

    private static Collective reduceToZero(Engine engine, long value) {
        Collective call =
                engine.collective().fill("reduce", engine.communicators().world(), Collective.Kind.REDUCE, 0);
        call.send.memory = Memory.of(MemorySegment.ofArray(new long[] {value}));
        call.recv.memory = Memory.of(MemorySegment.ofArray(new long[1]));
        call.send.type = ElementType.LONG;
        call.send.count = 1;
        call.op = PredefinedReduction.SUM;
        return call;
    }

    /// The root sees the post of rank 1, which has left, only when it checks why it waits.
    @Test
    void aRankThatLeftAfterPostingIsNotAwaited() {
        List<ShmEngine> ranks = engines(3);
        Collective root = reduceToZero(ranks.get(0), 1);
        ranks.get(0).start(root);
        ranks.get(1).run(reduceToZero(ranks.get(1), 10));
        ranks.get(1).job().leave();
        assertThat(ranks.get(0).peers().unreachable(root)).isNull();
        assertThat(root.isDone()).as("without rank 2").isFalse();
        ranks.get(2).run(reduceToZero(ranks.get(2), 100));
        ranks.get(2).job().leave();
        ranks.get(0).await(root);
        assertThat(root.recv.memory.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(111);
    }

    @Test
    void aRankThatLeftBeforePostingFailsTheWait() {
        List<ShmEngine> ranks = engines(3);
        Collective root = reduceToZero(ranks.get(0), 1);
        ranks.get(0).start(root);
        ranks.get(1).job().leave();
        Fault never = ranks.get(0).peers().unreachable(root);
        assertThat(never.errorClass()).isEqualTo(PredefinedErrorClass.ERR_PROC_FAILED);
        assertThat(never)
                .hasMessage("reduce: waits for rank 1, which has left the job by Mpi.close and sends no more messages"
                        + " (rank 0 of 3, WORLD)");
    }

    private static Transfer send(Engine engine, int to, int tag, MemorySegment from) {
        return message(engine, Transfer.Kind.SEND, to, tag, from);
    }

    private static Transfer receive(Engine engine, int from, int tag, MemorySegment to) {
        return message(engine, Transfer.Kind.RECV, from, tag, to);
    }

    private static Transfer message(Engine engine, Transfer.Kind kind, int peer, int tag, MemorySegment at) {
        String operation = kind == Transfer.Kind.SEND ? "send" : "recv";
        return engine.transfer()
                .fill(operation, engine.communicators().world(), kind, peer, tag, ElementType.LONG)
                .at(Memory.of(at), 0, at.byteSize());
    }

    private static MemorySegment longs(int count, long first) {
        return MemorySegment.ofArray(LongStream.range(first, first + count).toArray());
    }

    private static void isSame(MemorySegment received, MemorySegment sent) {
        assertThat(received.mismatch(sent)).as("first byte that differs").isEqualTo(-1);
    }

    private static void inAnotherThread(Runnable body) {
        try {
            CompletableFuture.runAsync(body, r -> Thread.ofPlatform().start(r)).get(60, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /// Both the ring for the first message and an allocation get memory by a write to the job's file.
    @Test
    void anInterruptedThreadCanAllocateMemory() {
        List<ShmEngine> ranks = engines(2);
        Thread.currentThread().interrupt();
        ranks.get(0).run(send(ranks.get(0), 1, 0, longs(1, 42)));
        assertThat(ranks.get(0).allocator().allocate(1 << 20).byteSize()).isEqualTo(1 << 20);
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        Transfer received = receive(ranks.get(1), 0, 0, longs(1, 0));
        ranks.get(1).run(received);
        isSame(received.memory.segment(), longs(1, 42));
        ranks.get(1).allocator().allocate(1 << 20);
    }

    /// Answering an offer needs a ring, and memory for it.
    @Test
    void aReceiveWithoutMemoryForItsAnswerFails() {
        Segment segment = Segment.ofThisProcess(new PortablePlatform(), 2, Arena.ofAuto());
        List<ShmEngine> ranks = engines(segment);
        Transfer sent = send(ranks.get(0), 1, 7, longs(LONG, 1)), next = send(ranks.get(0), 1, 8, longs(1, 42));
        ranks.get(0).start(sent);
        ranks.get(0).start(next);
        long free = segment.memory().getLong(0);
        segment.memory().setLong(0, segment.memory().segment().byteSize());
        Transfer poor = receive(ranks.get(1), 0, 7, longs(LONG, 0)), other = receive(ranks.get(1), 0, 8, longs(1, 0));
        ranks.get(1).start(poor);
        ranks.get(1).start(other);
        assertThat(ranks.get(1).test(other)).isTrue();
        isSame(other.memory.segment(), longs(1, 42));
        assertThat(ranks.get(1).test(poor)).isTrue();
        assertThat(poor.failure())
                .isInstanceOfSatisfying(
                        Fault.class, e -> assertThat(e.errorClass()).isEqualTo(PredefinedErrorClass.ERR_NO_MEM))
                .message()
                .startsWith("recv: no memory for the answer to the message of 1600000 bytes from rank 0, tag 7: ");
        assertThat(ranks.get(0).test(sent)).as("before there is memory").isFalse();
        segment.memory().setLong(0, free);
        move(ranks.get(1));
        assertThat(ranks.get(0).test(sent)).as("afterwards").isTrue();
    }

    /// A thread that has announced a sleep is woken when a thread of the same rank ends the wait.
    @Test
    void receiveAndCancelWakeThreadsOfTheSameRank() {
        Segment segment = Segment.ofThisProcess(new PortablePlatform(), 1, Arena.ofAuto());
        Bells bells = Bells.ofThreads(segment);
        ShmEngine rank = engines(segment).getFirst();
        Transfer sent = send(rank, 0, 1, longs(1, 42));
        sent.synchronous = true;
        rank.start(sent);
        int bell = bells.announce(0);
        rank.run(receive(rank, 0, 1, longs(1, 0)));
        assertThat(sent.isDone()).isTrue();
        int rung = bells.announce(0);
        assertThat(rung).as("after the receive").isNotEqualTo(bell);
        Transfer awaited = receive(rank, 0, 2, longs(1, 0));
        rank.start(awaited);
        rank.cancel(awaited);
        assertThat(awaited.isDone()).isTrue();
        assertThat(bells.announce(0)).as("after the cancel").isNotEqualTo(rung);
    }

    /// A waiting thread makes progress for all threads of the rank, including messages in memory that only one
    /// thread may access.
    @ParameterizedTest
    @ValueSource(ints = {1, LONG})
    void aMessageForAConfinedArenaIsFinishedByItsThread(int count) {
        List<ShmEngine> ranks = engines(2);
        try (Arena mine = Arena.ofConfined()) {
            Transfer received = receive(ranks.get(1), 0, 7, mine.allocate(8L * count, 8));
            ranks.get(1).start(received);
            Transfer sent = send(ranks.get(0), 1, 7, longs(count, 1)), other = send(ranks.get(0), 1, 8, longs(1, 42));
            ranks.get(0).start(sent);
            ranks.get(0).start(other);
            inAnotherThread(() -> {
                Transfer its = receive(ranks.get(1), 0, 8, longs(1, 0));
                ranks.get(1).run(its);
                isSame(its.memory.segment(), longs(1, 42));
                while (!ranks.get(0).test(sent)) move(ranks.get(1));
                move(ranks.get(1));
                assertThatThrownBy(() -> ranks.get(1).await(received))
                        .hasMessage(
                                "recv: the buffer is in a confined arena of another thread, and only that thread can"
                                        + " wait for it; use mpi.arena(), Arena.ofShared(), Arena.ofAuto(),"
                                        + " mpi.alloc or an array"
                                        + " (rank 1 of 2, WORLD)");
            });
            assertThat(received.isDone()).isFalse();
            ranks.get(1).await(received);
            assertThat(received.failure()).isNull();
            isSame(received.memory.segment(), longs(count, 1));
        }
    }

    @Test
    void anyThreadMovesASendFromAConfinedArena() {
        List<ShmEngine> ranks = engines(2);
        try (Arena mine = Arena.ofConfined()) {
            inAnotherThread(() -> move(ranks.get(0)));
            Transfer sent = send(ranks.get(0), 1, 7, mine.allocate(8L * LONG, 8).copyFrom(longs(LONG, 1)));
            ranks.get(0).start(sent);
            Transfer self = send(ranks.get(0), 0, 9, mine.allocate(8L * LONG, 8).copyFrom(longs(LONG, 2)));
            ranks.get(0).start(self);
            Transfer received = receive(ranks.get(1), 0, 7, longs(LONG, 0));
            ranks.get(1).start(received);
            inAnotherThread(() -> {
                while (!ranks.get(1).test(received)) move(ranks.get(0));
                Transfer own = receive(ranks.get(0), 0, 9, longs(LONG, 0));
                ranks.get(0).run(own);
                isSame(own.memory.segment(), longs(LONG, 2));
            });
            isSame(received.memory.segment(), longs(LONG, 1));
            ranks.get(0).await(sent);
            ranks.get(0).await(self);
        }
    }

    /// Short messages that did not fit into the ring, followed by long ones.
    @ParameterizedTest
    @ValueSource(ints = {4000, LONG})
    void anyThreadMovesSendsThatWaitForSpace(int count) {
        List<ShmEngine> ranks = engines(2);
        try (Arena mine = Arena.ofConfined()) {
            inAnotherThread(() -> move(ranks.get(0)));
            List<Transfer> sent = new ArrayList<>(), received = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                int longs = i < 20 ? 4000 : count;
                sent.add(send(ranks.get(0), 1, 7, mine.allocate(8L * longs, 8).copyFrom(longs(longs, i))));
                received.add(receive(ranks.get(1), 0, 7, longs(longs, 0)));
                ranks.get(0).start(sent.get(i));
            }
            assertThat(sent.get(19).isDone()).as("no space").isFalse();
            received.forEach(ranks.get(1)::start);
            inAnotherThread(() -> {
                while (!ranks.get(1).test(received.get(29))) move(ranks.get(0));
            });
            for (int i = 0; i < 30; i++) {
                Transfer r = received.get(i);
                isSame(r.memory.segment(), longs((int) (r.lengthBytes / 8), i));
            }
        }
    }

    /// Only the message in the closed memory fails; other threads are not affected.
    @Test
    void closedMemoryFailsOnlyItsMessage() {
        List<ShmEngine> ranks = engines(2);
        Arena closed = Arena.ofShared();
        Transfer poor = receive(ranks.get(1), 0, 7, closed.allocate(8, 8));
        Transfer other = receive(ranks.get(1), 0, 8, longs(1, 0));
        ranks.get(1).start(poor);
        ranks.get(1).start(other);
        closed.close();
        ranks.get(0).run(send(ranks.get(0), 1, 7, longs(1, 41)));
        ranks.get(0).run(send(ranks.get(0), 1, 8, longs(1, 42)));
        ranks.get(1).await(other);
        isSame(other.memory.segment(), longs(1, 42));
        assertThat(poor.isDone()).isTrue();
        assertThat(poor.failure())
                .isInstanceOfSatisfying(
                        Fault.class, e -> assertThat(e.errorClass()).isEqualTo(PredefinedErrorClass.ERR_BUFFER))
                .hasMessage("recv: the buffer's arena is closed; keep it open until the call is complete"
                        + " (rank 1 of 2, WORLD)");
    }

    /// A process truncates the mapped file from which a message is being sent. The receiver waits for the rest
    /// of the message, so the job fails.
    @Test
    void aFileTruncatedDuringASendIsReported() throws IOException {
        List<ShmEngine> ranks = engines(2);
        long bytes = 1 << 20;
        Path file = Files.createTempFile("tutti", ".bin");
        try (Arena arena = Arena.ofShared();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
            Transfer poor = send(ranks.get(0), 1, 7, mapped);
            Transfer received = receive(ranks.get(1), 0, 7, arena.allocate(bytes, 8));
            ranks.get(0).start(poor);
            ranks.get(1).start(received);
            channel.truncate(0);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100; i++) {
                            move(ranks.get(0));
                            move(ranks.get(1));
                        }
                    })
                    .isInstanceOf(Fault.class)
                    .hasMessageStartingWith("send: the buffer was closed while the message was being sent: ");
            assertThat(poor.isDone()).isTrue();
            assertThat(poor.failure()).isInstanceOf(InternalError.class);
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void memoryOfAnotherThreadIsRefusedAtTheCall() {
        List<ShmEngine> ranks = engines(2);
        try (Arena mine = Arena.ofConfined()) {
            MemorySegment word = mine.allocate(8, 8);
            inAnotherThread(() -> {
                for (Transfer t : List.of(send(ranks.get(0), 1, 7, word), receive(ranks.get(0), 1, 7, word))) {
                    assertThatThrownBy(() -> ranks.get(0).start(t))
                            .isInstanceOfSatisfying(
                                    Fault.class,
                                    e -> assertThat(e.errorClass()).isEqualTo(PredefinedErrorClass.ERR_BUFFER))
                            .hasMessage(t.operation + ": the buffer is in a confined arena of another thread;"
                                    + " use mpi.arena(), Arena.ofShared(), Arena.ofAuto(),"
                                    + " mpi.alloc or an array"
                                    + " (rank 0 of 2, WORLD)");
                }
            });
        }
    }

    @Test
    void aCollectiveCallOnAConfinedArenaStaysWithItsThread() {
        List<ShmEngine> ranks = engines(2);
        try (Arena mine = Arena.ofConfined()) {
            inAnotherThread(() -> move(ranks.get(0)));
            Collective call = reduceToZero(ranks.get(0), 1);
            call.recv.memory = Memory.of(mine.allocate(8, 8));
            call.form = Collective.Form.NONBLOCKING;
            assertThatThrownBy(() -> ranks.get(0).start(call))
                    .hasMessage("reduce: the buffer is in a confined arena, and another thread of this rank has"
                            + " called MPI, which may have to complete the call; use mpi.arena(), Arena.ofShared(), Arena.ofAuto(),"
                            + " mpi.alloc or an array (rank 0 of 2, WORLD)");
            ranks.get(1).run(reduceToZero(ranks.get(1), 10));
            call.form = Collective.Form.BLOCKING;
            ranks.get(0).run(call);
            assertThat(call.recv.memory.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(11);
        }
    }

    /// Makes progress without waiting.
    static void move(ShmEngine engine) {
        Transfer never = receive(engine, engine.communicators().world().rank(), 99, longs(1, 0));
        engine.start(never);
        engine.test(never);
        engine.cancel(never);
    }
}
