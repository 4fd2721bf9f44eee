package programs.faults;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.tutti.futures.RankPool;
import org.tutti.mpi.Tutti;
import org.tutti.serve.RunningService;
import org.tutti.serve.Service;
import org.tutti.train.ProcessGroup;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.ModelFiles;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.log.EventFile;
import org.tutti.train.log.TrainingLog;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// Runs each entry point that creates several files. For every k, the k-th file operation fails. Each failure
/// must name a file or the directory, close all files, remove incomplete files, and preserve the previous
/// files.
///
/// Prints a line for each entry point and mode. Arguments: a directory, the stride of k for a failed disk (1
/// for every k), and the names of entry points, by default all.
public final class FailurePoints {
    /// An operation under test, which uses a separate directory.
    private interface Entry {
        /// Creates the files that the operation must preserve.
        default void prepare(Path real) throws Exception {}

        /// Runs the operation. On return, all files and objects are closed.
        void run(Path faulty, Faults faults) throws Exception;

        /// Checks the files after the operation.
        ///
        /// @param message the message of the failure; empty if the operation has returned normally
        default void check(Path real, String message, Faults.Mode mode) throws Exception {}
    }

    private static final Map<String, Entry> ENTRIES = new LinkedHashMap<>();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final int MOST_POINTS = 2000, PORT_TRIES = 50, PORT_MILLIS = 20;

    /// Number of jobs after which garbage is collected. Each job maps hundreds of GiB of addresses until it is
    /// collected.
    private static final int JOBS_PER_COLLECTION = 16;

    private static int jobs;

    /// A common pool for all services, because the garbage collector releases an engine's memory only later.
    private static final RankPool POOL = RankPool.threads(1);

    private FailurePoints() {}

    public static void main(String[] args) throws Exception {
        entries();
        Path root = Path.of(args[0]);
        int stride = Integer.parseInt(args[1]);
        List<String> names = args.length > 2 ? List.of(args).subList(2, args.length) : List.copyOf(ENTRIES.keySet());
        boolean right = true;
        for (String name : names) {
            Entry entry = Objects.requireNonNull(ENTRIES.get(name));
            Path prepared = Files.createDirectory(root.resolve(name.replace(' ', '-')));
            entry.prepare(prepared);
            for (Faults.Mode mode : Faults.Mode.values()) {
                right &= sweep(name, entry, mode, mode == Faults.Mode.FAILED ? stride : 1, prepared);
            }
        }
        POOL.close();
        System.exit(right ? 0 : 1);
    }

    private static boolean sweep(String name, Entry entry, Faults.Mode mode, int stride, Path prepared)
            throws Exception {
        List<String> wrong = new ArrayList<>();
        int threw = 0, returned = 0, points = 0;
        for (int k = 1; k < MOST_POINTS; k += stride) {
            Path real = prepared.resolveSibling(prepared.getFileName() + "-" + mode + "-" + k);
            copy(prepared, real);
            Faults faults = new Faults(mode, k);
            String message = "";
            PrintStream err = System.err;
            ByteArrayOutputStream printed = new ByteArrayOutputStream();
            System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
            try {
                entry.run(new FaultyFileSystem(faults).of(real), faults);
            } catch (Exception e) {
                message = String.valueOf(e.getMessage());
                if (!(e instanceof IOException) && !e.getClass().getName().startsWith("org.tutti.")) {
                    wrong.add(k + " " + faults.failed() + ": bare " + e);
                }
            } catch (AssertionError e) {
                wrong.add(k + " " + faults.failed() + ": " + e.getMessage());
            } finally {
                System.setErr(err);
            }
            String prefix = k + " " + faults.failed() + ": ";
            if (!message.isEmpty() && !message.contains(real.toString()))
                wrong.add(prefix + "names no file: " + message);
            if (!faults.leaks().isEmpty()) wrong.add(prefix + "still open: " + faults.leaks());
            boolean isDeletion = faults.failed().matches("(list|delete) .*");
            if (mode != Faults.Mode.FAILED && !isDeletion)
                for (String left : unfinished(real)) wrong.add(prefix + "left " + left);
            try {
                entry.check(real, message, mode);
            } catch (Exception | AssertionError e) {
                wrong.add(prefix + "afterwards " + e);
            }
            delete(real);
            if (!faults.hasFailed()) break;
            points++;
            if (message.isEmpty()) returned++;
            else threw++;
        }
        System.out.printf(
                "%-28s %-4s %3d points: %3d threw, %3d returned%s%n",
                name, mode, points, threw, returned, wrong.isEmpty() ? "" : ", " + wrong.size() + " WRONG");
        wrong.forEach(line -> System.out.println("    " + line));
        return wrong.isEmpty();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path p : all.toList()) {
                Files.copy(p, to.resolve(from.relativize(p)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    private static List<String> unfinished(Path real) throws IOException {
        try (Stream<Path> all = Files.walk(real)) {
            return all.map(p -> p.getFileName().toString())
                    .filter(n -> n.startsWith(".new-") || n.startsWith(".unfinished-") || n.startsWith(".written-"))
                    .toList();
        }
    }

    private static void delete(Path real) throws IOException {
        try (Stream<Path> all = Files.walk(real)) {
            for (Path p : all.sorted((a, b) -> b.compareTo(a)).toList()) Files.delete(p);
        }
    }

    private static void require(boolean is, String text) {
        if (!is) throw new AssertionError(text);
    }

    // ---- the entry points

    private static void entries() {
        ENTRIES.put("Service.start, new", new Entry() {
            @Override
            public void run(Path faulty, Faults faults) throws Exception {
                serve(faulty.resolve("state"), (_, _) -> {});
            }

            @Override
            public void check(Path real, String message, Faults.Mode mode) throws Exception {
                startService(real.resolve("state"));
            }
        });
        ENTRIES.put("Service.start, jobs", new Entry() {
            @Override
            public void prepare(Path real) throws Exception {
                serve(real.resolve("state"), (service, port) -> {
                    require(call(service, "square", "3").equals("200 9"), "square");
                    require(call(service, "bytes", "100000").startsWith("200 "), "bytes");
                    call(service, "talk", "3");
                });
            }

            @Override
            public void run(Path faulty, Faults faults) throws Exception {
                serve(faulty.resolve("state"), (_, _) -> {});
            }

            @Override
            public void check(Path real, String message, Faults.Mode mode) throws Exception {
                serve(real.resolve("state"), (service, port) -> {
                    String jobs = get(service, "/v1/jobs");
                    require(jobs.split("\"state\":\"done\"").length == 4, jobs);
                });
            }
        });
        ENTRIES.put("Service, a job", new Entry() {
            @Override
            public void run(Path faulty, Faults faults) throws Exception {
                faults.armed(false);
                serve(faulty.resolve("state"), (service, port) -> {
                    faults.armed(true);
                    String answers = callOnce(service, "square", "3") + "\n" + callOnce(service, "bytes", "100000")
                            + "\n" + callOnce(service, "talk", "3");
                    faults.armed(false);
                    for (String answer : answers.split("\n")) {
                        require(answer.matches("(200|500|507|cut) .*"), answer);
                    }
                    require(call(service, "square", "4").equals("200 16"), "the next job");
                });
            }

            @Override
            public void check(Path real, String message, Faults.Mode mode) throws Exception {
                require(message.isEmpty(), message);
                ByteArrayOutputStream printed = new ByteArrayOutputStream();
                PrintStream err = System.err;
                System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
                try {
                    startService(real.resolve("state"));
                } finally {
                    System.setErr(err);
                }
                String text = printed.toString(StandardCharsets.UTF_8);
                require(!text.contains("damaged") && !text.contains("no job"), text);
            }
        });
        for (boolean later : new boolean[] {false, true}) {
            String save = later ? "Checkpoints.saveAsync" : "Checkpoints.save";
            ENTRIES.put(save, new Saves(1, later));
            ENTRIES.put(save + ", 2 ranks", new Saves(2, later));
        }
        ENTRIES.put("Checkpoints.newest", new Entry() {
            @Override
            public void prepare(Path real) throws Exception {
                new Saves(1, false).prepare(real);
            }

            @Override
            public void run(Path faulty, Faults faults) throws Exception {
                try (Checkpoints checkpoints = Checkpoints.open(faulty);
                        Arena arena = Arena.ofConfined()) {
                    Objects.requireNonNull(checkpoints.findNewest()).read(arena);
                }
            }
        });
        ENTRIES.put("ModelFiles.read", new Entry() {
            @Override
            public void prepare(Path real) throws Exception {
                for (String name : List.of("a", "b")) {
                    try (FileChannel to = FileChannel.open(
                            real.resolve(name + ".safetensors"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                        state(name, 1).write(to);
                    }
                }
                Files.writeString(
                        real.resolve("m.safetensors.index.json"),
                        "{\"weight_map\": {\"a\": \"a.safetensors\", \"b\": \"b.safetensors\"}}");
            }

            @Override
            public void run(Path faulty, Faults faults) throws Exception {
                try (Arena arena = Arena.ofConfined()) {
                    ModelFiles.read(faulty, arena);
                }
            }
        });
        ENTRIES.put("EventFile.in", new Entry() {
            @Override
            public void run(Path faulty, Faults faults) throws Exception {
                EventFile.open(faulty.resolve("curves")).close();
            }

            @Override
            public void check(Path real, String message, Faults.Mode mode) throws Exception {
                if (message.isEmpty() || mode == Faults.Mode.FAILED || !Files.isDirectory(real.resolve("curves")))
                    return;
                try (Stream<Path> all = Files.list(real.resolve("curves"))) {
                    require(all.findAny().isEmpty(), "a file without the first record remains");
                }
            }
        });
        ENTRIES.put("TrainingLog", new Entry() {
            @Override
            public void prepare(Path real) throws Exception {
                run(real, new Faults(Faults.Mode.ONCE, 0));
            }

            @Override
            public void run(Path faulty, Faults faults) throws Exception {
                ranks(1, group -> {
                    try (TrainingLog log = TrainingLog.of(group)
                            .withInterval(1)
                            .withCsv(faulty.resolve("log.csv"))
                            .withEvents(faulty.resolve("curves"))
                            .withPlot(faulty.resolve("loss.svg"))) {
                        log.recordStep(Files.exists(faulty.resolve("log.csv")) ? 2 : 1, 10, 0.5);
                    }
                });
            }

            @Override
            public void check(Path real, String message, Faults.Mode mode) throws Exception {
                String rows = Files.readString(real.resolve("log.csv"));
                require(rows.startsWith("step,seconds,name,value\n1,"), rows);
            }
        });
    }

    // ---- checkpoints

    private static Safetensors state(String name, long step) {
        TensorSpec spec = new TensorSpec(name, DType.I64, List.of(3L));
        MemorySegment numbers = MemorySegment.ofArray(new long[] {step, step, step});
        return new Safetensors(List.of(new Tensor(spec, numbers)), Map.of("step", "" + step));
    }

    @FunctionalInterface
    private interface Body {
        void run(ProcessGroup group) throws Exception;
    }

    private static void ranks(int count, Body body) throws Exception {
        if (++jobs % JOBS_PER_COLLECTION == 0) System.gc(); // unmaps the memory of jobs that have ended
        List<Exception> thrown = new ArrayList<>();
        Tutti.local(count, mpi -> {
            try (ProcessGroup group = ProcessGroup.of(mpi, mpi.world())) {
                body.run(group);
            } catch (Exception e) {
                synchronized (thrown) {
                    thrown.add(e);
                }
            }
        });
        if (!thrown.isEmpty()) throw thrown.getFirst();
    }

    /// Saves step 2 in a directory with step 1, which is removed afterwards.
    private record Saves(int ranks, boolean later) implements Entry {
        @Override
        public void prepare(Path real) throws Exception {
            save(real, 1);
        }

        @Override
        public void run(Path faulty, Faults faults) throws Exception {
            save(faulty, 2);
        }

        private void save(Path where, long step) throws Exception {
            if (ranks == 1) {
                try (Checkpoints checkpoints = Checkpoints.open(where).withMaxToKeep(1)) {
                    if (later) checkpoints.saveAsync(step, state("t", step));
                    else checkpoints.save(step, state("t", step));
                    checkpoints.await();
                }
                return;
            }
            FailurePoints.ranks(ranks, group -> {
                try (Checkpoints checkpoints = Checkpoints.open(where).withMaxToKeep(1)) {
                    Safetensors part = state("t" + group.rank(), step);
                    if (later) checkpoints.saveAsync(step, part, group);
                    else checkpoints.save(step, part, group);
                    checkpoints.await();
                }
            });
        }

        @Override
        public void check(Path real, String message, Faults.Mode mode) throws Exception {
            try (Checkpoints checkpoints = Checkpoints.open(real);
                    Arena arena = Arena.ofConfined()) {
                Checkpoints.FoundCheckpoint found =
                        Objects.requireNonNull(checkpoints.findNewest(), "the older one is lost");
                Safetensors read = found.read(arena);
                require(
                        read.tensors().size() == ranks,
                        "tensors: " + read.tensors().size());
                require(read.metadata().equals(Map.of("step", "" + found.step())), "metadata");
                if (message.isEmpty()) require(found.step() == 2, "it has returned, and the newest is " + found.step());
                if (message.contains("was not written")) require(found.step() == 1, "it was written");
            }
            if (message.contains("was not written") && mode != Faults.Mode.FAILED) {
                try (Stream<Path> all = Files.list(real)) {
                    List<String> left = all.map(p -> p.getFileName().toString())
                            .filter(n -> n.contains("000002"))
                            .toList();
                    require(left.isEmpty(), "left " + left);
                }
            }
        }
    }

    // ---- the service

    @FunctionalInterface
    private interface Client {
        void use(RunningService service, int port) throws Exception;
    }

    private static void startService(Path state) throws Exception {
        serve(state, (service, port) -> require(call(service, "square", "2").equals("200 4"), "a call"));
    }

    private static void serve(Path state, Client client) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try {
            Service service = Service.of(POOL)
                    .addFunction("square", x -> x * x, Integer.class, Integer.class)
                    .addFunction("bytes", n -> new byte[n], Integer.class, byte[].class)
                    .addFunction("talk", FailurePoints::talk, Integer.class, Integer.class)
                    .listenOn(port, state);
            try (RunningService running = service.start()) {
                client.use(running, port);
            }
        } finally {
            requireClosed(port);
        }
    }

    /// Checks that the port is closed. Tries several times, because a different process may use the port for a
    /// moment.
    private static void requireClosed(int port) throws InterruptedException {
        for (int i = 0; i < PORT_TRIES; i++) {
            try {
                new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
                return;
            } catch (IOException e) {
                Thread.sleep(PORT_MILLIS);
            }
        }
        throw new AssertionError("the port is still open");
    }

    private static int talk(int lines) {
        for (int i = 0; i < lines; i++) org.tutti.serve.JobOutput.println("line " + i);
        return lines;
    }

    private static String call(RunningService service, String function, String argument) throws Exception {
        HttpRequest request = request(service, "run-token", "/v1/functions/" + function + "/jobs?wait=30")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(argument))
                .build();
        try {
            HttpResponse<String> answer = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (IOException e) {
            return "cut " + e.getMessage(); // a file of the result failed during the transfer
        }
    }

    /// Calls a function when no other job runs: a queued job would wait until the disk accepts writes.
    private static String callOnce(RunningService service, String function, String argument) throws Exception {
        while (!get(service, "/metrics").contains("tutti_running_jobs 0")) Thread.sleep(1);
        return call(service, function, argument);
    }

    private static String get(RunningService service, String path) throws Exception {
        return CLIENT.send(request(service, "read-token", path).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static HttpRequest.Builder request(RunningService service, String token, String path) {
        try {
            // read through the real file system
            String text = Files.readString(Path.of(service.stateDirectory().toString(), token))
                    .strip();
            return HttpRequest.newBuilder(URI.create(service.address() + path))
                    .header("Authorization", "Bearer " + text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
