package programs.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tutti.futures.RankPool;
import org.tutti.serve.JobOutput;
import org.tutti.serve.RunningService;
import org.tutti.serve.Service;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// Random content of stored formats, up to and beyond the limits: it is read as written, or refused before an
/// older file is changed. Then files are damaged by a flipped bit, a missing end or repeated bytes: wrong
/// content is not read, and other data is not lost.
///
/// Arguments: a directory, a seed, the number of rounds, and optionally the trials to run. Prints the seed of
/// each failed round; a run with this seed and one round repeats the damage.
public final class StoredFiles {
    private static final RankPool POOL = RankPool.threads(1);
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final int[] LENGTHS = {0, 1, 2, 7, 100, 49_999, 50_000, 50_001, 70_000};
    private static final int JOBS = 4, DELETE_TRIES = 100, DELETE_MILLIS = 20;

    private final Path dir;
    private final SplittableRandom random;

    private StoredFiles(Path dir, long seed) {
        this.dir = dir;
        random = new SplittableRandom(seed);
    }

    /// One kind of trial.
    private interface Trial {
        void run(StoredFiles with) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]);
        long seed = Long.parseLong(args[1]);
        int rounds = Integer.parseInt(args[2]);
        List<String> chosen = List.of(args).subList(3, args.length);
        Map<String, Trial> trials = Map.of(
                "checkpoint content", StoredFiles::checkpointContent,
                "checkpoint damage", StoredFiles::checkpointDamage,
                "service damage", StoredFiles::serviceDamage,
                "service texts", StoredFiles::serviceTexts);
        int wrong = 0;
        for (var trial : trials.entrySet()) {
            if (!chosen.isEmpty() && !chosen.contains(trial.getKey())) continue;
            long start = System.nanoTime();
            int failed = 0;
            for (int i = 0; i < rounds; i++) {
                Path dir = Files.createDirectory(root.resolve(trial.getKey().replace(' ', '-') + i));
                try {
                    trial.getValue().run(new StoredFiles(dir, seed + i));
                } catch (Exception | AssertionError e) {
                    failed++;
                    System.out.println(trial.getKey() + ", seed " + (seed + i) + ": " + e);
                    if (!(e instanceof AssertionError)) e.printStackTrace(System.out);
                }
                delete(dir);
            }
            System.out.printf(
                    "%s: %d rounds from seed %d, %d wrong, %d s%n",
                    trial.getKey(), rounds, seed, failed, (System.nanoTime() - start) / 1_000_000_000);
            wrong += failed;
        }
        POOL.close();
        System.exit(wrong == 0 ? 0 : 1);
    }

    /// Deletes the directory. Tries several times, because an interrupted job may still write the last line.
    private static void delete(Path real) throws Exception {
        for (int i = 0; ; i++) {
            try (Stream<Path> all = Files.walk(real)) {
                for (Path p : all.sorted((a, b) -> b.compareTo(a)).toList()) Files.deleteIfExists(p);
                return;
            } catch (IOException | UncheckedIOException e) {
                if (i == DELETE_TRIES) throw e;
                Thread.sleep(DELETE_MILLIS);
            }
        }
    }

    private static void require(boolean is, String text) {
        if (!is) throw new AssertionError(text);
    }

    // ---- content

    private String text() {
        int length = random.nextInt(4) > 0 ? random.nextInt(20) : LENGTHS[random.nextInt(LENGTHS.length)];
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            switch (random.nextInt(40)) {
                case 0 -> text.append((char) random.nextInt(0xd800, 0xe000)); // half a character
                case 1 -> text.appendCodePoint(random.nextInt(0x10000, 0x110000));
                case 2 -> text.append((char) random.nextInt(0, 0x20));
                case 3 -> text.append((char) random.nextInt(0x7f, 0x3000));
                case 4 -> text.append("\"\\\u2028\ufeff".charAt(random.nextInt(4)));
                default -> text.append((char) random.nextInt('a', 'z'));
            }
        }
        return text.toString();
    }

    private Safetensors state() {
        List<Tensor> tensors = new ArrayList<>();
        Map<String, String> metadata = new HashMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            DType type = DType.values()[random.nextInt(DType.values().length)];
            List<Long> shape = IntStream.range(0, random.nextInt(4))
                    .mapToObj(_ -> (long) random.nextInt(4))
                    .toList();
            TensorSpec spec = new TensorSpec(i + text(), type, shape);
            byte[] bytes = new byte[(int) spec.sizeBytes()];
            random.nextBytes(bytes);
            tensors.add(new Tensor(spec, MemorySegment.ofArray(bytes)));
        }
        for (int i = random.nextInt(4); i > 0; i--) metadata.put(text(), text());
        metadata.remove(Checkpoints.PART);
        return new Safetensors(tensors, metadata);
    }

    private static boolean isSame(Safetensors one, Safetensors other) {
        if (!one.metadata().equals(other.metadata())
                || one.tensors().size() != other.tensors().size()) return false;
        for (Tensor t : one.tensors()) {
            Tensor u = other.tensor(t.name());
            if (!t.spec().equals(u.spec()) || t.data().mismatch(u.data()) >= 0) return false;
        }
        return true;
    }

    private void checkpointContent() throws Exception {
        Safetensors first = new Safetensors(List.of(), Map.of("step", "1")), second = state();
        try (Checkpoints checkpoints = Checkpoints.open(dir).withMaxToKeep(1);
                Arena arena = Arena.ofConfined()) {
            checkpoints.save(1, first);
            boolean isSaved = true;
            try {
                checkpoints.save(2, second);
            } catch (IOException e) {
                isSaved = false;
                require(e.getMessage().contains("is not Unicode"), "refused: " + e.getMessage());
            }
            Checkpoints.FoundCheckpoint found = checkpoints.findNewest();
            require(found != null && found.step() == (isSaved ? 2 : 1), "the newest is " + found);
            if (found != null) require(isSame(found.read(arena), isSaved ? second : first), "other content");
        }
    }

    // ---- damage

    /// Changes a file; returns a description of the change.
    private String damage(Path file) throws IOException {
        byte[] all = Files.readAllBytes(file);
        if (all.length == 0) {
            Files.write(file, new byte[] {(byte) random.nextInt(256)});
            return file.getFileName() + " has a byte";
        }
        // files contain times, so the lengths of files differ between runs, and a seed repeats the position
        // only approximately
        int at = (int) (random.nextDouble() * all.length);
        switch (random.nextInt(3)) {
            case 0 -> {
                int bit = 1 << random.nextInt(8);
                all[at] ^= (byte) bit;
                Files.write(file, all);
                return file.getFileName() + " differs by " + bit + " at " + at + " of " + all.length;
            }
            case 1 -> {
                Files.write(file, Arrays.copyOf(all, at));
                return file.getFileName() + " is cut at " + at + " of " + all.length;
            }
            default -> {
                int count = Math.min(all.length - at, random.nextInt(2) == 0 ? 1 : random.nextInt(1, 200));
                byte[] more = Arrays.copyOf(all, all.length + count);
                System.arraycopy(all, at, more, at + count, all.length - at);
                Files.write(file, more);
                return file.getFileName() + " has " + count + " bytes twice at " + at + " of " + all.length;
            }
        }
    }

    /// @param ids the ids of jobs, in the order in which the jobs were created. This order, and not the random
    /// ids, determines the order of files.
    private Path anyFile(Path in, List<String> ids) throws IOException {
        try (Stream<Path> all = Files.walk(in)) {
            List<Path> files = all.filter(Files::isRegularFile)
                    .filter(p -> !p.getFileName().toString().contains("lock"))
                    .sorted(Comparator.comparing(file -> numbered(file.toString(), ids)))
                    .toList();
            return files.get(random.nextInt(files.size()));
        }
    }

    private static String numbered(String file, List<String> ids) {
        for (int i = 0; i < ids.size(); i++) {
            if (file.contains(ids.get(i))) return file.replace(ids.get(i), "%03d".formatted(i));
        }
        return file;
    }

    private void checkpointDamage() throws Exception {
        Map<Long, Safetensors> saved = new HashMap<>();
        try (Checkpoints checkpoints = Checkpoints.open(dir);
                Arena arena = Arena.ofConfined()) {
            for (long step = 1; step <= 2; step++) {
                TensorSpec spec = new TensorSpec("t", DType.I64, List.of(3L));
                MemorySegment numbers = MemorySegment.ofArray(random.longs(3).toArray());
                Safetensors state = new Safetensors(List.of(new Tensor(spec, numbers)), Map.of("step", "" + step));
                saved.put(step, state);
                checkpoints.save(step, state);
            }
            Path file = anyFile(dir, List.of());
            String done = damage(file);
            Checkpoints.FoundCheckpoint found = checkpoints.findNewest();
            require(found != null, done + ": none is found");
            if (found == null) return;
            boolean isOfSecond = file.getFileName().toString().contains("000002");
            boolean isNamed = found.skipped().stream().anyMatch(line -> line.contains("000002"));
            require(found.step() == 2 || isOfSecond && isNamed, done + ": " + found);
            require(isSame(found.read(arena), saved.get(found.step())), done + ": other content");
            checkpoints.save(3, saved.get(1L));
            require(checkpoints.findNewest().step() == 3, done + ": the next one");
        } catch (CheckpointException e) {
            throw new AssertionError(e);
        }
    }

    // ---- the service

    private interface Client {
        void use(RunningService service) throws Exception;
    }

    private String serve(Client client) throws Exception {
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, UTF_8));
        try (RunningService running = Service.of(POOL)
                .addFunction("square", x -> x * x, Integer.class, Integer.class)
                .addFunction("bytes", n -> new byte[n], Integer.class, byte[].class)
                .addFunction("talk", StoredFiles::talk, Integer.class, Integer.class)
                .addFunction("sleep", StoredFiles::sleep, Integer.class, Integer.class)
                .addFunction("echo", s -> s, String.class, String.class)
                .listenOn(0, dir.resolve("state"))
                .start()) {
            client.use(running);
        } finally {
            System.setErr(err);
        }
        return printed.toString(UTF_8);
    }

    private static int talk(int lines) {
        for (int i = 0; i < lines; i++) JobOutput.println("line " + i);
        return lines;
    }

    private static int sleep(int millis) throws InterruptedException {
        Thread.sleep(millis);
        return millis;
    }

    private static HttpResponse<String> ask(RunningService service, String path, String body) throws Exception {
        String token =
                Files.readString(service.stateDirectory().resolve("run-token")).strip();
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(service.address() + path)).header("Authorization", "Bearer " + token);
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String submit(RunningService service, String function, int argument, int wait) throws Exception {
        HttpResponse<String> answer =
                ask(service, "/v1/functions/" + function + "/jobs?wait=" + wait, String.valueOf(argument));
        return answer.headers().firstValue("Location").orElseThrow();
    }

    private static String result(RunningService service, String job) throws Exception {
        while (true) {
            HttpResponse<String> answer = ask(service, job + "/result", "");
            if (answer.statusCode() != 409) return answer.statusCode() + " " + answer.body();
            Thread.sleep(1);
        }
    }

    private void serviceDamage() throws Exception {
        Map<String, String> expected = new LinkedHashMap<>();
        Path[] asleep = new Path[1];
        serve(service -> {
            for (int i = 0; i < JOBS; i++) {
                for (String function : List.of("square", "bytes", "talk")) {
                    int argument = function.equals("bytes") ? 60_000 : random.nextInt(1, 50);
                    String job = submit(service, function, argument, 30);
                    expected.put(job, result(service, job));
                }
            }
            String sleeping = submit(service, "sleep", 100_000, 0);
            asleep[0] = service.stateDirectory().resolve("jobs").resolve(id(sleeping) + ".jsonl");
            for (int i = 0; i < JOBS; i++) {
                int argument = random.nextInt(1, 40_000);
                expected.put(submit(service, "square", argument, 0), "200 " + argument * argument);
            }
        });
        // the interrupted job writes the last line after the service has been closed
        while (!Files.readString(asleep[0]).contains("LOST")) Thread.sleep(1);
        List<String> ids =
                new ArrayList<>(expected.keySet().stream().map(StoredFiles::id).toList());
        ids.add(asleep[0].getFileName().toString().replace(".jsonl", ""));
        Path file = anyFile(dir.resolve("state"), ids);
        String name = file.getFileName().toString(), done = damage(file);
        Map<String, String> seen = new HashMap<>();
        String printed;
        try {
            printed = serve(service -> {
                for (String job : expected.keySet()) seen.put(job, result(service, job));
                for (String job : expected.keySet()) {
                    int events = ask(service, job + "/events", "").statusCode();
                    require(events == 200 || name.contains(id(job)), done + ": events of " + job);
                }
                require(result(service, submit(service, "square", 5, 30)).equals("200 25"), done + ": the next job");
            });
        } catch (IOException e) {
            require(name.endsWith("-token") && e.getMessage().contains(name), done + ": " + e);
            return;
        }
        expected.forEach((job, right) -> {
            String result = String.valueOf(seen.get(job));
            if (result.equals(right)) return;
            require(name.contains(id(job)), done + ": " + job + " of a different file: " + result);
            require(!result.startsWith("200"), done + ": wrong result " + result);
            require(printed.contains(name), done + ": " + result + ", and the file is not named: " + printed);
        });
    }

    private static String id(String job) {
        return job.substring(job.lastIndexOf('/') + 1);
    }

    private void serviceTexts() throws Exception {
        serve(service -> {
            for (int i = 0; i < 10; i++) {
                String text = text();
                StringBuilder json = new StringBuilder("\"");
                for (char c : text.toCharArray()) {
                    if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') json.append(c);
                    else json.append("\\u%04x".formatted((int) c));
                }
                HttpResponse<String> answer = ask(service, "/v1/functions/echo/jobs?wait=30", json.append('"') + "");
                require(answer.statusCode() == 200, answer.statusCode() + " " + answer.body());
                require(parsed(answer.body()).equals(text), "other text");
            }
        });
    }

    private static String parsed(String json) {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i < json.length() - 1; i++) {
            char c = json.charAt(i);
            if (c != '\\') {
                text.append(c);
                continue;
            }
            char escape = json.charAt(++i);
            switch (escape) {
                case 'u' -> {
                    text.append((char) Integer.parseInt(json.substring(i + 1, i + 5), 16));
                    i += 4;
                }
                case 'n' -> text.append('\n');
                case 'r' -> text.append('\r');
                case 't' -> text.append('\t');
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                default -> text.append(escape);
            }
        }
        return text.toString();
    }
}
