package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.mpi.Buf.buf;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.e2e.job.Marked;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.Tutti;

/// Mistakes of ranks in threads are reported like mistakes of ranks in processes: with the source lines of the
/// two ranks, and without a hang.
@Timeout(600)
class LocalDiagnosisTest {
    private static final Marked SOURCE =
            Marked.of(Path.of("src/test/java/org/tutti/e2e/local/LocalDiagnosisTest.java"));

    private static void fails(Tutti.Body body, String... texts) {
        assertThatThrownBy(() -> Tutti.local(2, body))
                .isInstanceOf(MpiException.class)
                .message()
                .contains(texts);
    }

    @Test
    void differentCallsAreNamedWithLines() {
        fails(
                mpi -> {
                    if (mpi.world().rank() == 0) mpi.world().barrier(); // differ: rank 0
                    else mpi.world().allreduce(1, Op.MAX); // differ: rank 1
                },
                "first difference: collective call 1 of WORLD: rank 0 barrier() at " + SOURCE.line("differ: rank 0")
                        + "; rank 1 allreduce(1 INT, MAX) at " + SOURCE.line("differ: rank 1"));
    }

    @Test
    void messageOfOtherTypeIsNamedWithLine() {
        fails(
                mpi -> {
                    if (mpi.world().rank() == 0) mpi.world().send(buf(new int[3]), 1, 3); // type
                    else mpi.world().recv(buf(new float[4]), 0, 3);
                },
                "message from rank 0, tag 3, sent at " + SOURCE.line("type") + ", holds 3 INT, the buffer is of FLOAT");
    }

    @Test
    void deadlockIsReportedWithCycle() {
        String line = SOURCE.line("deadlock");
        fails(
                mpi -> {
                    int other = 1 - mpi.world().rank();
                    try (ExecutorService idle = Executors.newFixedThreadPool(1)) {
                        idle.submit(() -> 1).get();
                        mpi.world().recv(buf(new int[1]), other); // deadlock
                    }
                },
                "local: deadlock: 0 recv←1 (" + line + ") → 1 recv←0 (" + line + ") → 0");
    }

    /// A helper thread of rank 0 blocks in a call of rank 2. After this call, the thread acts as rank 0, and
    /// sends the message for which rank 1 waits.
    private static void completesBy(Thread.Builder helpers) {
        CompletableFuture<Comm> other = new CompletableFuture<>();
        Tutti.local(3, mpi -> {
            Comm world = mpi.world();
            switch (world.rank()) {
                case 0 -> {
                    Thread helper = helpers.start(() -> {
                        other.join().recv(buf(new int[1]), 2);
                        world.send(buf(new int[1]), 1);
                    });
                    world.recv(buf(new int[1]), 1);
                    helper.join();
                }
                case 1 -> {
                    world.recv(buf(new int[1]), 0);
                    world.send(buf(new int[1]), 0);
                }
                default -> {
                    other.complete(world);
                    Thread.sleep(Duration.ofSeconds(7)); // longer than the detection of a deadlock takes
                    world.send(buf(new int[1]), 2);
                }
            }
        });
    }

    @Test
    @Tag("ci")
    void threadInCallOfOtherRankMayCompleteWait() {
        completesBy(Thread.ofPlatform());
        completesBy(Thread.ofVirtual());
    }

    @Test
    void unmatchedQueuedMessageIsNamed() {
        fails(
                mpi -> {
                    if (mpi.world().rank() == 0) mpi.world().send(buf(new int[1]), 1, 0); // wrong tag
                    else mpi.world().recv(buf(new int[1]), 0, 1);
                },
                "recv: waits for rank 0, which has left the job by Mpi.close and sends no more messages (rank 1 of 2, WORLD);"
                        + " an unmatched message of rank 0 with tag 0, sent at " + SOURCE.line("wrong tag")
                        + ", is queued");
        fails(
                mpi -> {
                    try (OwnedComm copy = mpi.world().dup()) {
                        if (mpi.world().rank() == 0) mpi.world().send(buf(new int[1]), 1, 3); // wrong communicator
                        else copy.recv(buf(new int[1]), 0, 3);
                    }
                },
                "an unmatched message of rank 0 with tag 3 on WORLD, sent at " + SOURCE.line("wrong communicator"));
    }

    /// A message that a pending receive may have matched is not reported as unmatched.
    @Test
    void possiblyMatchedMessageIsNotNamed() {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 1) {
                        mpi.world().irecv(buf(new int[1]), 0, 0);
                        mpi.world().barrier();
                        mpi.world().recv(buf(new int[1]), 0, 1);
                    } else {
                        mpi.world().barrier();
                        mpi.world().send(buf(new int[1]), 1, 0);
                    }
                }))
                .message()
                .contains("rank 0, which has left the job")
                .doesNotContain("unmatched");
    }

    @Test
    void missingCallBeforeCloseIsNamed() {
        fails(
                mpi -> {
                    mpi.world().barrier(); // last
                    if (mpi.world().rank() == 0) mpi.world().allreduce(1, Op.SUM); // left out
                },
                "first difference: collective call 2 of WORLD: rank 0 allreduce(1 INT, SUM) at "
                        + SOURCE.line("left out") + "; rank 1 has made call 1, barrier() at " + SOURCE.line("last")
                        + ", as its last, and closes");
    }

    @Test
    void initInThreadRankIsRejected() {
        fails(mpi -> Mpi.init(), "init: this thread is a rank of Tutti.local; use the Mpi that was passed to the body");
    }

    @Test
    @Tag("ci")
    void stallIsReported() throws Exception {
        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            Tutti.local(2, mpi -> pollUntilReported(mpi.world(), err));
        } finally {
            System.setErr(before);
        }
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("rank 1: recv(source=0, tag=any) on WORLD", SOURCE.line("waits"), SOURCE.line("polls"));
    }

    /// Polls until the report of the stall is printed.
    private static void pollUntilReported(Comm world, ByteArrayOutputStream err) {
        if (world.rank() == 1) {
            world.recv(buf(new int[1]), 0); // waits
            return;
        }
        Request never = world.irecv(buf(new int[1]), 1);
        while (!never.test() && !isReported(err)) Thread.onSpinWait(); // polls
        never.cancel();
        never.await();
        world.send(buf(new int[1]), 1);
    }

    private static boolean isReported(ByteArrayOutputStream err) {
        return err.size() > 0 && err.toString(StandardCharsets.UTF_8).contains("stacks of all ranks");
    }
}
