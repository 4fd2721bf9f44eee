package org.tutti.bench.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.launch.UsageException;

class BenchArgumentsTest {
    private static BenchArguments arguments(BenchTest test, Consumer<BenchArguments> change) {
        BenchArguments arguments = new BenchArguments(test);
        change.accept(arguments);
        return arguments;
    }

    private static Arguments mistake(BenchTest test, Consumer<BenchArguments> change, String text) {
        return Arguments.of(test, arguments(test, change), text);
    }

    private static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake(
                        BenchTest.LATENCY,
                        w -> w.sizes = "9:8",
                        "-m 9:8: give the smallest size first, as in -m 8:65536"),
                mistake(
                        BenchTest.LATENCY,
                        w -> w.sizes = "8,x",
                        "-m 8,x: sizes are numbers of bytes from 0 to 1073741824, as in -m 8:65536, which doubles, or"
                                + " -m 8,65536"),
                mistake(
                        BenchTest.LATENCY,
                        w -> w.iterations = "0",
                        "-i 0: a whole number from 1 to 100000000, as in -i 10000"),
                mistake(
                        BenchTest.LATENCY,
                        w -> w.warmup = "-1",
                        "-x -1: a whole number from 0 to 100000000, as in -x 1000"),
                mistake(BenchTest.BW, w -> w.window = "0", "-W 0: a whole number from 1 to 1024, as in -W 64"),
                mistake(BenchTest.LATENCY, w -> w.window = "64", "-W 64: latency sends one message at a time"),
                mistake(BenchTest.BCAST, w -> w.tests = "5", "-t 5: bcast has no nonblocking operation"),
                mistake(BenchTest.BARRIER, w -> w.sizes = "8", "-m 8: barrier has no messages of several sizes"),
                mistake(
                        BenchTest.BCAST,
                        w -> w.types = "half",
                        "-T half: there are byte, int, long, float, double, OSU's mpi_char, mpi_int and mpi_float, and all"),
                mistake(
                        BenchTest.LATENCY,
                        w -> w.buffers = "gpu",
                        "--buffer gpu: there are heap (Java arrays), segment (mpi.alloc), direct (NIO buffers) and, where"
                                + " the test has it, device and object; several separated by commas between them"),
                mistake(
                        BenchTest.PINGPONG,
                        w -> w.array = "cupy",
                        "-a cupy: there are heap (Java arrays; numpy is another word for it), segment (mpi.alloc) and none"
                                + " (a direct NIO buffer)"),
                mistake(
                        BenchTest.PUT_LATENCY,
                        w -> w.buffers = "heap,device",
                        "--buffer heap,device: put-latency is for host memory; messages and collective operations"
                                + " support device memory"),
                mistake(
                        BenchTest.REDUCE_SCATTER,
                        w -> w.object = true,
                        "--object: reduce-scatter has no form with objects"),
                mistake(BenchTest.IBCAST, w -> w.object = true, "--object: ibcast has no form with objects"),
                mistake(BenchTest.HELLOWORLD, w -> w.check = true, "-c: helloworld lacks this option of OSU's tests"),
                mistake(BenchTest.LATENCY, w -> w.quiet = true, "-q: latency lacks this option of mpi4py's tests"),
                mistake(BenchTest.STENCIL, w -> w.warmup = "1", "-x 1: stencil has no warm-up"),
                mistake(BenchTest.STENCIL, w -> w.quiet = true, "-q: stencil lacks this option of mpi4py's tests"),
                mistake(BenchTest.STENCIL, w -> w.sizes = "8", "-m 8: stencil has no messages of several sizes"),
                mistake(BenchTest.STENCIL, w -> w.size = "8", "--size 8: there are small, medium, long"),
                mistake(
                        BenchTest.LATENCY,
                        w -> w.size = "small",
                        "--size small: latency lacks this option of ringtest and kernels"),
                mistake(
                        BenchTest.STENCIL,
                        w -> {
                            w.size = "small";
                            w.iterations = "5";
                        },
                        "--size small and -i 5: both are a number of iterations; give one"),
                mistake(
                        BenchTest.PINGPONG,
                        w -> {
                            w.sizes = "100";
                            w.maxSize = "10";
                        },
                        "-m 100: the smallest message is not larger than --max-size 10"),
                mistake(
                        BenchTest.ALLTOALL,
                        w -> w.sizes = "1073741824",
                        "-m: 1073741824 bytes, 2 times, are more than heap memory holds in one piece; take --buffer segment"
                                + " or smaller messages"));
    }

    @ParameterizedTest(name = "{2}")
    @MethodSource("mistakes")
    void aWrongValueIsReportedWithItsBound(BenchTest test, BenchArguments arguments, String text) {
        assertThatThrownBy(() -> arguments.options(2))
                .isInstanceOf(UsageException.class)
                .hasMessage(text);
    }

    @Test
    void aWrongNameGetsTheNearest() {
        assertThatThrownBy(() -> BenchArguments.test(List.of("alreduce")))
                .hasMessage(
                        "bench alreduce: there is no such test; did you mean allreduce? tutti bench --help lists them");
        assertThatThrownBy(() -> BenchArguments.test(List.of("latency", "bw")))
                .hasMessage("bench latency bw: one test at a time, and bw is one argument too many");
    }

    @Test
    void oneRankIsTooFew() {
        assertThatThrownBy(() -> new BenchArguments(BenchTest.LATENCY).options(1))
                .hasMessage("-n 1: latency needs 2 ranks");
        assertThat(new BenchArguments(BenchTest.ALLREDUCE).options(1)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(BenchTest.class)
    void ranksParseTheCommandsArguments(BenchTest test) {
        BenchOptions options = new BenchArguments(test).options(4).getFirst();
        assertThat(BenchOptions.of(options.toArguments().toArray(new String[0])))
                .isEqualTo(options);
        assertThat(BenchTest.named(test.word())).isEqualTo(test);
    }

    @Test
    void osusUnderscoresAreUnderstood() {
        assertThat(BenchTest.named("multi_lat")).isEqualTo(BenchTest.MULTI_LAT);
        assertThat(BenchTest.named("reduce_scatter")).isEqualTo(BenchTest.REDUCE_SCATTER);
    }

    @Test
    void defaultsAreOsusAndMpi4pys() {
        assertThat(new BenchArguments(BenchTest.LATENCY).options(2).getFirst().sizes())
                .startsWith(1L, 2L)
                .endsWith(1L << 22);
        assertThat(new BenchArguments(BenchTest.ALLREDUCE).options(2).getFirst().sizes())
                .startsWith(4L, 8L)
                .endsWith(1L << 20);
        BenchOptions pingpong =
                new BenchArguments(BenchTest.PINGPONG).options(2).getFirst();
        assertThat(pingpong.sizes()).startsWith(1L).endsWith(1L << 30);
        assertThat(pingpong.iterations()).isEqualTo(10_000);
        assertThat(pingpong.steps().loop(1 << 14, 10_000)).isEqualTo(10_000);
        assertThat(pingpong.steps().loop((1 << 14) + 1, 10_000)).isEqualTo(1000);
        assertThat(pingpong.steps().loop(1 << 21, 10_000)).isEqualTo(10);
        BenchOptions ring = new BenchArguments(BenchTest.RINGTEST).options(2).getFirst();
        assertThat(List.of(ring.iterations(), ring.warmup())).isEqualTo(List.of(1, 0));
        assertThat(ring.sizes()).containsExactly(1L);
    }

    @Test
    void kernelsRunTheIterationsOfTheirSize() {
        int small = new BenchArguments(BenchTest.STENCIL).options(2).getFirst().iterations();
        assertThat(small).isEqualTo(KernelSize.SMALL.iterations(BenchTest.STENCIL));
        assertThat(arguments(BenchTest.STENCIL, w -> w.size = "long")
                        .options(2)
                        .getFirst()
                        .iterations())
                .isEqualTo(50 * small);
        assertThat(arguments(BenchTest.STENCIL, w -> w.iterations = "7")
                        .options(1)
                        .getFirst()
                        .iterations())
                .isEqualTo(7);
    }

    @Test
    void severalKindsOfMemoryAreSeveralMeasurements() {
        BenchArguments arguments = arguments(BenchTest.LATENCY, w -> {
            w.buffers = "heap,segment";
            w.types = "all";
            w.sizes = "0,1,8";
        });
        List<BenchOptions> all = arguments.options(2);
        assertThat(all).hasSize(6);
        assertThat(all.getFirst().sizes()).containsExactly(0L, 1L, 8L);
        assertThat(all.getLast().sizes()).as("at least a float").containsExactly(0L, 4L, 8L);
        assertThat(all.getLast().storage()).isEqualTo(Storage.SEGMENT);
    }
}
