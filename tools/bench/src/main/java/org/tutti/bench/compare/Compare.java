package org.tutti.bench.compare;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.tutti.bench.BusyThreads;
import org.tutti.bench.plan.Storage;
import org.tutti.bench.report.Screen;
import org.tutti.launch.library.NativeLibrary;

/// Runs all contenders in alternation, launch by launch, and writes the table.
public final class Compare {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String C_SOURCE = "bench.c",
            C_KERNELS = "kernels.c",
            PYTHON_SOURCE = "bench.py",
            HELLO = "Hello.java";

    private final ComparisonRun wanted;
    private final Screen screen;
    private final List<NativeLibrary> libraries;
    private final List<Contender> contenders = new ArrayList<>();

    /// The contenders that were not run, with the reasons.
    private final Set<String> missing = new LinkedHashSet<>();

    private Compare(ComparisonRun wanted, Screen screen) {
        this.wanted = wanted;
        this.screen = screen;
        this.libraries = NativeLibrary.all();
    }

    /// Runs the comparison. Call this method on a platform thread, for the reason given at `Launcher.run`.
    ///
    /// @return the exit code: 130 or 143 after SIGINT or SIGTERM
    public static int run(ComparisonRun wanted, Screen screen) throws IOException, InterruptedException {
        Path work = Files.createTempDirectory("tutti-compare");
        Thread clean = new Thread(() -> delete(work));
        Runtime.getRuntime().addShutdownHook(clean);
        try {
            return new Compare(wanted, screen).run(work);
        } catch (SignalledException e) {
            screen.clear();
            return e.code();
        } finally {
            delete(work);
        }
    }

    private int run(Path work) throws IOException, InterruptedException {
        gather(work);
        String before = Facts.load();
        long start = System.nanoTime();
        Measurements measurements = new Measurements(wanted.launches());
        try (BusyThreads _ = BusyThreads.start(wanted.busy())) {
            for (int launch = 0; launch < wanted.launches(); launch++) launch(measurements, launch, start);
        }
        screen.clear();
        ComparisonReport report = new ComparisonReport(measurements, ResultTable.of(measurements, contenders));
        List<String> head = new ArrayList<>(Facts.of(wanted.version(), libraries, contenders));
        head.add("ranks bound to: " + wanted.bindTo() + "; load average " + before + " before, " + Facts.load()
                + " after; C by "
                + (wanted.threadMultiple() ? "MPI_Init_thread(MULTIPLE)" : "MPI_Init") + "; "
                + (wanted.tests().stream().anyMatch(CompareTest::isKernel)
                        ? "kernels of size " + wanted.kernelSize().word() + ", without warm-up; "
                        : "")
                + (wanted.busy() == 0 ? "" : "with " + wanted.busy() + " busy threads; ")
                + (System.nanoTime() - start) / 1_000_000_000 + " s");
        List<String> lines = report.lines(head, missing);
        lines.forEach(screen::print);
        if (wanted.out() != null) report.write(wanted.out(), lines);
        return 0;
    }

    /// Adds the contenders that are available on this machine, in the order of the table.
    private void gather(Path work) throws IOException, InterruptedException {
        screen.now("searching for libraries");
        Path c = copy(C_SOURCE, work),
                kernels = copy(C_KERNELS, work),
                python = copy(PYTHON_SOURCE, work),
                hello = copy(HELLO, work);
        boolean runsC = wants("c"), overLibraries = wants("libmpi");
        if (libraries.isEmpty() && (runsC || overLibraries)) {
            missing.add("C and Tutti over a library: neither Open MPI's mpirun nor MPICH's mpiexec is on the PATH");
        }
        for (NativeLibrary library : libraries) {
            if (runsC) {
                add(() -> CContender.compile(library, c, kernels, wanted.bindTo(), wanted.threadMultiple(), LIMIT));
            }
        }
        if (wants("mpi4py")) add(() -> PythonContender.find(libraries, python, wanted.bindTo(), LIMIT));
        for (Storage storage : List.of(Storage.SEGMENT, Storage.HEAP)) {
            if (wants("shm"))
                contenders.add(new TuttiContender(null, storage, wanted.bindTo(), LIMIT, wanted.tutti(), hello));
        }
        for (NativeLibrary library : libraries) {
            for (Storage storage : List.of(Storage.SEGMENT, Storage.HEAP)) {
                if (overLibraries) {
                    contenders.add(new TuttiContender(library, storage, wanted.bindTo(), LIMIT, wanted.tutti(), hello));
                }
            }
        }
    }

    private boolean wants(String who) {
        return wanted.who().contains(who);
    }

    /// Creates a contender that may be unavailable.
    private interface Found {
        Contender get() throws TrialException, InterruptedException;
    }

    private void add(Found found) throws InterruptedException {
        try {
            contenders.add(found.get());
        } catch (TrialException e) {
            missing.add(String.valueOf(e.getMessage()));
        }
    }

    private static Path copy(String resource, Path directory) throws IOException {
        Path file = directory.resolve(resource);
        try (InputStream in = Compare.class.getResourceAsStream("/org/tutti/bench/compare/" + resource)) {
            if (in == null) throw new IOException("this build of Tutti lacks " + resource);
            Files.copy(in, file);
        }
        return file;
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            // already removed
        }
    }

    /// Contenders that have failed in the current test, and are not run again in this test.
    private final Set<String> failed = new HashSet<>();

    private void launch(Measurements measurements, int launch, long start) throws IOException, InterruptedException {
        screen.step("tutti: " + position(launch, start));
        for (CompareTest test : wanted.tests()) {
            List<Contender> able =
                    contenders.stream().filter(c -> c.supports(test)).toList();
            for (int ranks : test.ranks(wanted.ranks())) {
                if (launch == 0 && test == CompareTest.STARTUP) prepare(able, ranks);
                for (int i = 0; i < able.size(); i++) {
                    // rotate the order, so that no contender always follows the same one
                    Contender contender = able.get((i + launch) % able.size());
                    progress(launch, start, test, ranks, contender);
                    trial(measurements, launch, test, ranks, contender);
                }
            }
        }
    }

    /// Starts each contender once and discards the result, because the first start compiles programs and fills
    /// caches.
    private void prepare(List<Contender> able, int ranks) throws IOException, InterruptedException {
        for (Contender contender : able) {
            screen.now("a first start of " + contender.name(CompareTest.STARTUP));
            try {
                contender.run(CompareTest.STARTUP, ranks, List.of(0L));
            } catch (TrialException e) {
                // the first measured launch fails in the same way, and reports the exception
            }
        }
    }

    private void trial(Measurements measurements, int launch, CompareTest test, int ranks, Contender contender)
            throws IOException, InterruptedException {
        String what = contender.name(test) + ", " + test.word() + " on " + ranks + " ranks";
        if (failed.contains(what)) return;
        List<Long> sizes = test.isKernel()
                ? List.of((long) wanted.kernelSize().iterations(test.bench()))
                : test.sizes(wanted.sizes());
        try {
            Map<Long, Double> values = contender.run(test, ranks, sizes);
            for (long bytes : sizes) {
                Double value = values.get(bytes);
                if (value == null) throw new TrialException("it printed no row for " + bytes + unit(test));
                measurements.add(new Point(test, ranks, test.isKernel() ? 0 : bytes), contender, launch, value);
            }
        } catch (TrialException e) {
            failed.add(what);
            missing.add(what + ", from launch " + (launch + 1) + " on: " + e.getMessage());
        }
    }

    private static String unit(CompareTest test) {
        return test.isKernel() ? " iterations" : " bytes";
    }

    private void progress(int launch, long start, CompareTest test, int ranks, Contender contender) {
        screen.now(position(launch, start) + ": " + test.word() + ", " + ranks + " ranks, " + contender.name(test));
    }

    /// Returns `launch 2 of 10, about 9 min left`.
    private String position(int launch, long start) {
        String left = "";
        if (launch > 0) {
            double each = (System.nanoTime() - start) / 1e9 / launch;
            left = ", about " + Math.max(1, Math.round(each * (wanted.launches() - launch) / 60)) + " min left";
        }
        return "launch " + (launch + 1) + " of " + wanted.launches() + left;
    }
}
