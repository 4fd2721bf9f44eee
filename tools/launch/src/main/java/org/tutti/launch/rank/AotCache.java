package org.tutti.launch.rank;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.CacheDir;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.machine.JavaCommand;
import org.tutti.launch.program.ClassPath;
import org.tutti.launch.program.Jars;

/// The JVM's ahead-of-time cache of the classes of Tutti and the JDK (JEP 483, 514). A cache is created once per
/// JDK, Tutti version, collector and size of the JVM's pointers, and halves the start time of a rank. The JVM
/// ignores a cache that does not fit, for example one that was created with other options.
public final class AotCache {
    private AotCache() {}

    /// Hides the warning about a cache that is ignored because it does not fit. Do not add other tags: a JVM does
    /// not start with a tag that it does not know.
    static final String SILENT = "-Xlog:aot*=off";

    /// Omits the profiles of the training run. With profiles, a rank compiles methods during the start, which
    /// costs a tenth of the time of "hello" with four ranks on two cores. A JVM that does not have this option
    /// still creates the cache.
    private static final List<String> WITHOUT_PROFILES =
            List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTRecordTraining");

    private static final int KEEP = 6;
    private static final long LARGE_HEAP = 32L << 30;
    private static final String[] HARMLESS = {
        "-D", "-ea", "-da", "-esa", "-dsa", "-Xss", "-Xms", "-Xlog", "-XX:+HeapDump", "-XX:TieredStopAtLevel="
    };
    private static final long LONGEST_SECONDS = 60;

    /// Whether a cache fits a JVM with these additional options. A cache that does not fit is worse than none,
    /// because the JVM then ignores the default archive, too.
    static boolean allows(List<String> options) {
        for (String option : options) {
            boolean harmless = option.startsWith("-Xmx") && compressesPointers(option);
            for (String prefix : HARMLESS) harmless |= option.startsWith(prefix);
            if (!harmless) return false;
        }
        return true;
    }

    /// Whether the JVM uses 32-bit pointers with this `-Xmx…`. A cache fits only one of the two modes.
    static boolean compressesPointers(String maxHeap) {
        int end = maxHeap.length();
        int shift = switch (maxHeap.charAt(end - 1)) {
            case 't', 'T' -> 40;
            case 'g', 'G' -> 30;
            case 'm', 'M' -> 20;
            case 'k', 'K' -> 10;
            default -> 0;
        };
        try {
            long number = Long.parseLong(maxHeap, "-Xmx".length(), shift == 0 ? end : end - 1, 10);
            return number < LARGE_HEAP >> shift;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /// Returns the cache for ranks with these flags and jars; null if it has not been created.
    static @Nullable Path find(List<String> flags, List<String> jars) {
        Path file = file(flags, jars);
        return file != null && Files.isRegularFile(file) ? file : null;
    }

    private static @Nullable Path file(List<String> flags, List<String> jars) {
        if (jars.isEmpty()) return null;
        for (String jar : jars)
            if (!jar.endsWith(".jar")) return null; // the JVM does not cache classes from directories
        Path directory = CacheDir.open("aot");
        if (directory == null) return null;
        StringBuilder key = new StringBuilder(1024);
        key.append(System.getProperty("java.vm.version")).append(' ');
        key.append(System.getProperty("java.home")).append('\n');
        for (String flag : flags) {
            if (flag.endsWith("GC")) key.append(flag).append('\n');
            else if (flag.startsWith("-Xmx"))
                key.append(compressesPointers(flag)).append('\n');
        }
        for (String jar : jars) ClassPath.identify(jar, key);
        return directory.resolve("rank-" + CacheDir.hash(key.toString()) + ".aot");
    }

    /// Creates the cache for ranks with these flags, in about two seconds, unless the cache exists. Failures
    /// are not reported, because the cache only accelerates the start.
    public static void make(List<String> flags) {
        List<String> jars = Jars.ofRanks().tutti();
        Path file = file(flags, jars);
        if (file == null || Files.isRegularFile(file)) return;
        Path draft = CacheDir.draft(file);
        try {
            CacheDir.prune(file.resolveSibling("."), KEEP - 1);
            if (train(flags, jars, draft) && Files.isRegularFile(draft)) CacheDir.publish(draft, file);
        } catch (IOException e) {
            // continue without a cache
        } finally {
            draft.toFile().delete();
            new File(draft + ".config").delete();
        }
    }

    /// Trains with a job of two ranks. The cache contains the classes that the first of the two ranks uses.
    private static boolean train(List<String> flags, List<String> jars, Path output) throws IOException {
        List<Process> ranks = new ArrayList<>();
        try (JobFile job = OsPlatform.open().createFile("tutti", JobFile.BYTES)) {
            JobStatus.create(job, AotTraining.RANKS, true);
            for (int rank = 0; rank < AotTraining.RANKS; rank++) {
                ranks.add(start(rank, flags, jars, rank == 0 ? output : null, job));
            }
            Process trained = ranks.getFirst();
            return trained.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS) && trained.exitValue() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            for (Process rank : ranks) {
                rank.descendants().forEach(ProcessHandle::destroyForcibly);
                rank.destroyForcibly();
            }
        }
    }

    /// @param output null for the second rank, which only serves as a peer
    private static Process start(int rank, List<String> flags, List<String> jars, @Nullable Path output, JobFile job)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(JavaCommand.path());
        command.addAll(flags);
        if (output != null) {
            command.addAll(WITHOUT_PROFILES);
            command.add("-XX:AOTCacheOutput=" + output);
        }
        command.add(SILENT);
        command.add("-cp");
        command.add(String.join(File.pathSeparator, jars));
        command.add(RankMain.class.getName());
        command.add(AotTraining.class.getName());
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        InheritedEnvironment.clean(environment);
        environment.put(RankEnvironment.RANK, Integer.toString(rank));
        environment.put(RankEnvironment.SIZE, Integer.toString(AotTraining.RANKS));
        environment.put(RankEnvironment.JOB, job.path());
        builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        return builder.start();
    }
}
