package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.bench.kernels.Kernels;
import org.tutti.bench.plan.BenchTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.mpi.Tutti;

/// `kernels.c` computes the same checksums as the Java kernels, and `tutti bench compare` can read the output.
class KernelsInCTest extends JobTest {
    private static final int ITERATIONS = 2;
    private static final String COMPILER = "mpicc.openmpi";
    private static final Path SOURCES = Checkout.module("tutti-bench").resolve("src/main/c");
    private static final List<BenchTest> KERNELS =
            Arrays.stream(BenchTest.values()).filter(BenchTest::isKernel).toList();

    @Test
    @Tag("ci")
    void checksumsMatchJava() throws Exception {
        Way.OPEN_MPI.require();
        Way.need(Way.isOnPath(COMPILER), COMPILER + " is not installed");
        Path program = compile();
        for (int ranks : Tier.FULL ? List.of(1, 2, 3, 4) : List.of(2)) {
            Map<String, String> inC = new TreeMap<>();
            for (BenchTest kernel : KERNELS) inC.put(kernel.word(), checksum(program, kernel, ranks));
            assertThat(inC).as("%d ranks", ranks).isEqualTo(inJava(ranks));
        }
    }

    private static Path compile() throws Exception {
        Path directory = Checkout.scratch("kernels");
        String object = directory.resolve("kernels.o").toString();
        Path program = directory.resolve("bench");
        compile(COMPILER, "-O3", "-c", SOURCES.resolve("kernels.c").toString(), "-o", object);
        compile(COMPILER, "-O2", SOURCES.resolve("bench.c").toString(), object, "-o", program.toString());
        return program;
    }

    private static void compile(String... command) throws Exception {
        ProcessOutcome ended = Command.of(command).run();
        assertThat(ended.code()).as("%s", ended).isZero();
    }

    private static String checksum(Path program, BenchTest kernel, int ranks) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(Way.OPEN_MPI.launcher(), "--oversubscribe", "--bind-to", "none"));
        if ("root".equals(System.getProperty("user.name"))) command.add("--allow-run-as-root");
        command.addAll(List.of("-n", String.valueOf(ranks)));
        command.addAll(List.of(program.toString(), kernel.word(), String.valueOf(ITERATIONS)));
        ProcessOutcome ended = Command.of(command).run();
        assertThat(ended.code()).as("%s", ended).isZero();
        String[] row = ended.out().strip().split(" +");
        assertThat(row).as("%s", ended).hasSize(3);
        assertThat(row[0]).isEqualTo(String.valueOf(ITERATIONS));
        return row[2];
    }

    private static Map<String, String> inJava(int ranks) {
        Map<String, String> checksums = new ConcurrentHashMap<>();
        Tutti.local(ranks, mpi -> {
            for (BenchTest kernel : KERNELS) {
                checksums.put(
                        kernel.word(),
                        Kernels.hex(Kernels.run(mpi, kernel, ITERATIONS).checksum()));
            }
        });
        return new TreeMap<>(checksums);
    }
}
