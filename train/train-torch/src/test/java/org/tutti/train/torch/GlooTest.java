package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.train.torch.Trials.train;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.ProcessGroup;
import org.tutti.train.ProgressMode;
import org.tutti.train.Rendezvous;
import org.tutti.train.TrainingException;
import org.tutti.train.model.DType;
import org.tutti.train.torch.Trials.Body;
import org.tutti.train.torch.Trials.Net;

@Tag("ci")
final class GlooTest {
    private static final String HERE = "127.0.0.1";
    private static final Duration LONG = Duration.ofSeconds(300);
    private static final Duration SHORT = Duration.ofSeconds(2);

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static Rendezvous rendezvous(int rank, int size, int port, Duration timeout) {
        return Rendezvous.of(rank, size, HERE, port).withHostName("here").withTimeout(timeout);
    }

    /// Runs these ranks as threads; returns the results or exceptions, by rank.
    private static <T> List<Object> run(List<Rendezvous> meetings, Body<T> body) throws InterruptedException {
        try (ExecutorService threads = Executors.newFixedThreadPool(meetings.size())) {
            List<Callable<T>> calls = new ArrayList<>();
            for (Rendezvous m : meetings) {
                calls.add(() -> {
                    try (ProcessGroup group = new Gloo().join(m)) {
                        return body.run(group);
                    }
                });
            }
            List<Object> ends = new ArrayList<>();
            for (Future<T> f : threads.invokeAll(calls)) {
                try {
                    ends.add(f.get());
                } catch (ExecutionException e) {
                    ends.add(e.getCause());
                }
            }
            return ends;
        }
    }

    private static <T> List<Object> onRanks(int size, Body<T> body) throws Exception {
        int port = freePort();
        List<Rendezvous> meetings = new ArrayList<>();
        for (int r = 0; r < size; r++) meetings.add(rendezvous(r, size, port, LONG));
        return run(meetings, body);
    }

    @Test
    void allOperationsReturnTheExpectedValues() throws Exception {
        List<Object> ends = onRanks(3, group -> {
            assertThat(group.backend()).isEqualTo("gloo");
            assertThat(group.localRank()).isEqualTo(group.rank());
            assertThat(group.localSize()).isEqualTo(3);
            assertThat(group.allgather("x".repeat(group.rank()))).containsExactly("", "x", "xx");
            assertThat(group.allgather("")).containsExactly("", "", "");
            assertThat(group.allgather(group.rank(), 7)).containsExactly(0, 7, 1, 7, 2, 7);
            assertThat(group.sum(1.5, group.rank())).containsExactly(4.5, 3);
            assertThat(group.sum(1L << 40)).isEqualTo(3L << 40);
            assertThat(group.max(group.rank(), -2)).containsExactly(2, -2);
            float[] mine = {group.rank(), 5}, all = new float[6];
            group.allgather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all));
            assertThat(all).containsExactly(0, 5, 1, 5, 2, 5);
            group.reduceScatter(MemorySegment.ofArray(all), MemorySegment.ofArray(mine), DType.F32);
            assertThat(mine).containsExactly(3 * group.rank(), 15);
            int[] numbers = {group.rank(), 10};
            group.broadcast(MemorySegment.ofArray(numbers), 2);
            assertThat(numbers).containsExactly(2, 10);
            assertThat(group.gatherForMetrics(new float[group.rank()])).hasSize(3);
            MemorySegment memory = group.allocate(8);
            memory.set(ValueLayout.JAVA_FLOAT, 0, group.rank());
            ProcessGroup.PendingAllreduce pending = group.startAllreduce(memory, DType.F32, ProgressMode.CALLS);
            pending.await();
            assertThat(memory.get(ValueLayout.JAVA_FLOAT, 0)).isEqualTo(3);
            assertThatThrownBy(
                            () -> group.startAllreduce(MemorySegment.ofArray(numbers), DType.I32, ProgressMode.CALLS))
                    .hasMessageContaining("an array");
            for (DType type : new DType[] {DType.F16, DType.BF16}) {
                // three times 1.5
                short bits = Float.floatToFloat16(1.5f), sum = Float.floatToFloat16(4.5f);
                if (type == DType.BF16) {
                    bits = (short) (Float.floatToRawIntBits(1.5f) >>> 16);
                    sum = (short) (Float.floatToRawIntBits(4.5f) >>> 16);
                }
                short[] halves = {bits, 0};
                group.allreduce(MemorySegment.ofArray(halves), type);
                assertThat(halves).as("%s", type).containsExactly(sum, 0);
            }
            group.barrier();
            return "well";
        });
        assertThat(ends).containsExactly("well", "well", "well");
    }

    @Test
    void gradientsSurviveTheGroup() throws Exception {
        List<Object> ends = onRanks(2, group -> {
            Net net = new Net(1);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
            try (DistributedDataParallel.Step step = ddp.step(2)) {
                net.loss(0, 1).backward();
                step.sync();
            }
            long at = net.parameters().get(0).grad().data_ptr().address();
            group.close();
            return net.parameters().get(0).grad().data_ptr().address() != at;
        });
        assertThat(ends).containsExactly(true, true);
    }

    @Test
    void trainingIsAsOverMpi() throws Exception {
        Body<List<float[]>> body = group -> {
            Net net = new Net(group.rank());
            train(net, new SGD(net.parameters(), new SGDOptions(0.1)), group, 0, 30);
            return net.parameterValues();
        };
        List<float[]> overMpi = Trials.onRanks(2, body).getFirst();
        for (Object end : onRanks(2, body)) {
            List<?> values = (List<?>) end;
            for (int p = 0; p < values.size(); p++) {
                float[] one = (float[]) values.get(p);
                for (int i = 0; i < one.length; i++)
                    assertThat(one[i]).isCloseTo(overMpi.get(p)[i], org.assertj.core.data.Offset.offset(1e-6f));
            }
        }
    }

    /// `MASTER_ADDR` is the loopback address, or a different address of this machine, and all ranks run on this
    /// machine.
    @Test
    @EnabledOnOs(OS.LINUX)
    void storeOfOneMachineListensOnlyAtItsAddress() throws Exception {
        for (String address : List.of(HERE, "localhost", "127.0.0.2")) {
            int port = freePort();
            List<Rendezvous> meetings = new ArrayList<>();
            for (int r = 0; r < 2; r++) {
                Rendezvous one =
                        Rendezvous.of(r, 2, address, port).withHostName("here").withTimeout(LONG);
                meetings.add(address.equals(HERE) ? one : one.withLocalRank(r).withLocalSize(2));
            }
            List<Object> ends = run(meetings, group -> {
                assertThat(listeners(port)).as(address).hasSize(1).allMatch(a -> a.startsWith("127.0.0."));
                group.barrier();
                return "met";
            });
            assertThat(ends).containsExactly("met", "met");
        }
    }

    /// Returns the addresses that listen on `port`, in the format of `ss -ltn`.
    private static List<String> listeners(int port) throws Exception {
        Process ss = new ProcessBuilder("ss", "-ltnH", "sport = :" + port).start();
        try (var lines = ss.inputReader()) {
            return lines.lines().map(line -> line.strip().split("\\s+")[3]).toList();
        }
    }

    @Test
    void aMissingRankIsNamed() throws Exception {
        int port = freePort();
        List<Object> ends = run(List.of(rendezvous(0, 4, port, SHORT), rendezvous(2, 4, port, LONG)), group -> "met");
        assertThat((Throwable) ends.get(0))
                .isInstanceOf(TrainingException.class)
                .hasMessage("rank 0 of 4 has waited 2.0 s at 127.0.0.1:" + port
                        + " for rank 1, 3; was every process started, with the same MASTER_ADDR and MASTER_PORT?");
        assertThat((Throwable) ends.get(1))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("lost rank 0");
    }

    @Test
    void aPortInUseIsReported() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            int port = taken.getLocalPort();
            assertThatThrownBy(() -> new Gloo().join(rendezvous(0, 2, port, SHORT)))
                    .isInstanceOf(TrainingException.class)
                    .hasMessageStartingWith("rank 0 cannot listen at 127.0.0.1:" + port + "; is the port in use");
        }
    }

    @Test
    void anAbsentRankZeroIsReported() throws Exception {
        int port = freePort();
        assertThatThrownBy(() -> new Gloo().join(rendezvous(1, 2, port, SHORT)))
                .isInstanceOf(TrainingException.class)
                .hasMessageStartingWith("rank 1 has not found rank 0 at 127.0.0.1:" + port + " within 2.0 s; ");
    }

    @Test
    void ranksOfDifferentWorldsAreReported() throws Exception {
        int port = freePort();
        List<Object> ends = run(List.of(rendezvous(0, 2, port, LONG), rendezvous(1, 3, port, SHORT)), group -> "met");
        assertThat((Throwable) ends.get(0))
                .hasMessage("rank 0 of 2 and rank 1 of 3 have connected to 127.0.0.1:" + port
                        + "; WORLD_SIZE must be the same for all");
        assertThat((Throwable) ends.get(1)).isInstanceOf(TrainingException.class);
    }

    @Test
    void aDuplicateRankIsReported() throws Exception {
        int port = freePort();
        List<Object> ends = run(
                List.of(rendezvous(0, 3, port, SHORT), rendezvous(1, 3, port, SHORT), rendezvous(1, 3, port, SHORT)),
                group -> "met");
        assertThat(ends.stream().map(String::valueOf))
                .anyMatch(e -> e.contains("rank 1 of 3 has connected to 127.0.0.1:" + port + " twice"));
        assertThat(ends).doesNotContain("met");
    }

    @Test
    void theEndOfARankIsReportedOnAllRanks() throws Exception {
        List<Object> ends = onRanks(3, group -> {
            if (group.rank() == 1) throw new IllegalStateException("forward failed");
            group.barrier();
            return group.sum(1);
        });
        assertThat((Throwable) ends.get(1)).hasMessage("forward failed");
        for (int r : new int[] {0, 2}) {
            assertThat((Throwable) ends.get(r))
                    .isInstanceOf(TrainingException.class)
                    .hasMessageContaining("over gloo failed on rank " + r + " of 3; probably another rank has ended");
        }
    }

    @Test
    @Tag("ci")
    void aRankThatSleepsIsReported() throws Exception {
        PrintStream before = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            List<Object> ends = onRanks(2, group -> {
                for (int i = 0;
                        group.rank() == 1 && i < 6000 && !printed.toString().contains("stall:");
                        i++) Thread.sleep(10);
                group.barrier();
                return "done";
            });
            assertThat(ends).containsExactly("done", "done");
        } finally {
            System.setErr(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .containsPattern(
                        "tutti: stall: rank 0 has been waiting for \\d+ s in barrier.*: rank 1 \\(.*\\) has not"
                                + " called it; over gloo the wait ends after \\d+ s");
    }
}
