package org.tutti.e2e.failure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Tier;

/// Each file operation fails once, or permanently, or as on a full disk, and stored files are damaged. The
/// programs are in `programs.faults`. `-Dtutti.stored.seed=N` repeats the damage.
class FailurePointsTest {
    private static final long LIMIT_MINUTES = 30;

    /// With this seed, round 5 truncates the last line in the file of a job.
    private static final long CI_SEED = 12_589_207_066_128L;

    /// The adapters to tensor libraries, as a jar or as a directory of classes.
    private static final Pattern ADAPTER = Pattern.compile("/(tutti-)?train-(djl|torch)[-/]");

    /// Values of `CLOSEABLE`: the program in which the creation of the type fails, or the resource that the
    /// type holds and the test that covers it.
    private static final String SWEEP = "programs.faults.FailurePoints", ENGINE = "memory of the engine: the contract";
    private static final String DEVICE = "memory of a device: tests of tutti-device", MODEL = "memory of a library";
    private static final String MESSAGES = "threads and messages: tests of tutti-futures";
    private static final Map<String, String> CLOSEABLE = Map.ofEntries(
            Map.entry("Mpi", ENGINE),
            Map.entry("MpiFile", "a file: FileArgumentContract.aFullDisk"),
            Map.entry("Intercomm", ENGINE),
            Map.entry("OwnedComm", ENGINE),
            Map.entry("PersistentRequest", ENGINE),
            Map.entry("Port", ENGINE),
            Map.entry("Requests", ENGINE),
            Map.entry("Session", ENGINE),
            Map.entry("Window", ENGINE),
            Map.entry("org.tutti.device.Device", DEVICE),
            Map.entry("org.tutti.device.DeviceComm", DEVICE),
            Map.entry("org.tutti.device.DeviceStream", DEVICE),
            Map.entry("org.tutti.device.Devices", DEVICE),
            Map.entry("org.tutti.device.Event", DEVICE),
            Map.entry("org.tutti.device.ManagedBuffer", DEVICE),
            Map.entry("org.tutti.device.PinnedMemory", DEVICE),
            Map.entry("org.tutti.serve.RunningService", SWEEP),
            Map.entry("org.tutti.train.checkpoint.Checkpoints", SWEEP),
            Map.entry("org.tutti.train.log.EventFile", SWEEP),
            Map.entry("org.tutti.train.log.TrainingLog", SWEEP),
            Map.entry("org.tutti.train.BatchLoader", "a thread: BatchLoaderTest"),
            Map.entry("org.tutti.train.DistributedDataParallel", ENGINE),
            Map.entry("org.tutti.train.DistributedDataParallel$Step", ENGINE),
            Map.entry("org.tutti.train.ProcessGroup", ENGINE),
            Map.entry("org.tutti.train.model.GradientBucket", MODEL),
            Map.entry("org.tutti.train.torch.Autocast", MODEL),
            Map.entry("org.tutti.train.torch.ShardedOptimizer", MODEL),
            Map.entry("org.tutti.futures.RankPool", MESSAGES),
            Map.entry("org.tutti.futures.SharedValue", MESSAGES));

    @Test
    void everyCloseableTypeIsTested() throws IOException {
        Pattern header =
                Pattern.compile("(\\S+): public [^()]*\\b(?:class|interface|record) [^()]* of .*\\bAutoCloseable\\b.*");
        TreeSet<String> missing = new TreeSet<>();
        try (Stream<Path> apis = Files.list(Checkout.ROOT.resolve("docs/api"))) {
            for (Path api : apis.toList()) {
                for (String line : Files.readAllLines(api)) {
                    Matcher type = header.matcher(line);
                    if (type.matches() && !CLOSEABLE.containsKey(type.group(1))) missing.add(type.group(1));
                }
            }
        }
        assertThat(missing)
                .as("closeable types without a test of failed creation")
                .isEmpty();
    }

    @Test
    @Tag("ci")
    void eachFileOperationFails() throws Exception {
        run("FailurePoints", Tier.FULL ? "1" : "8");
    }

    @Test
    @Tag("ci")
    void damagedFilesAffectNoOtherData() throws Exception {
        // -Pci always uses the same damage, so that a failure points to a change; -Pfull tries new damage
        long seed = Long.getLong("tutti.stored.seed", Tier.FULL ? System.nanoTime() : CI_SEED);
        System.out.println("stored files: -Dtutti.stored.seed=" + seed);
        run("StoredFiles", "" + seed, Tier.FULL ? "500" : "10");
    }

    private static void run(String program, String... arguments) throws Exception {
        Path dir = Checkout.scratch(program);
        List<String> classPath = new ArrayList<>(List.of(Checkout.PROGRAMS.toString()));
        classPath.addAll(Checkout.CLASS_PATH);
        // the programs use no tensors, and each adapter would load a library
        for (String entry : Checkout.EXTRA_CLASS_PATH) {
            if (!ADAPTER.matcher(entry).find()) classPath.add(entry);
        }
        List<String> command = new ArrayList<>(List.of(
                Checkout.java(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", // the programs call System.gc() after each job
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                String.join(File.pathSeparator, classPath),
                "programs.faults." + program,
                dir.toString()));
        command.addAll(List.of(arguments));
        Path out = dir.resolveSibling(program + ".out");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        builder.environment().put("TUTTI_SERVE_ALLOW_ROOT", "1");
        Process process = builder.start();
        try {
            assertThat(process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(out, UTF_8)).isZero();
    }
}
