package org.tutti.bench.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;
import org.tutti.launch.text.EditDistance;

/// The options of `tutti bench TEST` as typed (null or false if not specified), with the methods that interpret
/// the options.
public final class BenchArguments {
    private static final int LARGEST = 1 << 30, MOST_ITERATIONS = 100_000_000, MOST_WINDOW = 1024;
    private static final int DEFAULT_WINDOW = 64;
    private static final int DEFAULT_LOOP_OF_PINGPONG = 10_000;
    private static final int DEFAULT_TASKS = 50, DEFAULT_LOOP_OF_TASKS = 100, LARGEST_OF_TASKS = 1 << 20;
    private static final String ALL_TYPES = "all";

    public @Nullable String sizes,
            minSize,
            maxSize,
            size,
            iterations,
            warmup,
            window,
            types,
            tests,
            buffers,
            array,
            tasks,
            chunk;
    public @Nullable String skipLarge, loopLarge, largeSize, skipHuge, loopHuge, hugeSize;
    public boolean check, full, object, pickle, outband, quiet, noHeader, noStats;

    private final BenchTest test;

    public BenchArguments(BenchTest test) {
        this.test = test;
    }

    /// @throws UsageException if the test does not exist
    public static BenchTest test(List<String> words) {
        List<String> names =
                Arrays.stream(BenchTest.values()).map(BenchTest::word).toList();
        if (words.isEmpty()) {
            throw new UsageException("bench: name a test, as in tutti bench latency; tutti bench --help lists them");
        }
        BenchTest test = BenchTest.named(words.getFirst());
        if (test == null) {
            throw new UsageException("bench " + words.getFirst() + ": there is no such test; did you mean "
                    + EditDistance.nearest(words.getFirst(), names) + "? tutti bench --help lists them");
        }
        if (words.size() > 1) {
            throw new UsageException("bench " + String.join(" ", words) + ": one test at a time, and " + words.get(1)
                    + " is one argument too many");
        }
        return test;
    }

    /// Returns the options of a measurement for each requested combination of memory kind and type.
    ///
    /// @throws UsageException if a value is invalid, or the test has no such option
    public List<BenchOptions> options(int ranks) {
        if (ranks < test.fewestRanks()) {
            int fewest = test.fewestRanks();
            throw new UsageException(
                    "-n " + ranks + ": " + test.word() + " needs " + fewest + (fewest == 1 ? " rank" : " ranks"));
        }
        requireKnown();
        List<BenchOptions> all = new ArrayList<>();
        for (Storage storage : storages()) {
            for (BufferElement type : types()) {
                List<Long> bytes = bytes(type);
                requireRoom(storage, type, bytes, ranks);
                all.add(new BenchOptions(
                        test,
                        bytes,
                        storage,
                        type,
                        warmup(),
                        iterations(),
                        check,
                        full,
                        window == null ? DEFAULT_WINDOW : number("-W", window, 1, MOST_WINDOW, "-W 64"),
                        tests == null ? 0 : number("-t", tests, 0, MOST_ITERATIONS, "-t 10"),
                        tasks == null
                                ? DEFAULT_TASKS
                                : number("--num-tasks", tasks, 1, MOST_ITERATIONS, "--num-tasks 50"),
                        chunk == null ? 1 : number("--chunksize", chunk, 0, MOST_ITERATIONS, "--chunksize 10"),
                        quiet,
                        !noHeader,
                        !noStats,
                        steps()));
            }
        }
        return all;
    }

    private void requireKnown() {
        Family family = test.family();
        boolean kernel = test.isKernel();
        boolean osu = family.isOsu(), pingpong = family == Family.PINGPONG, futures = family == Family.FUTURES;
        require("--num-tasks", tasks, futures, "lacks this option of futures");
        require("--chunksize", chunk, futures, "lacks this option of futures");
        require("-m", sizes, osu && test.isSized() || pingpong || futures, "has no messages of several sizes");
        require("--size", size, family == Family.RING || kernel, "lacks this option of ringtest and kernels");
        require("--max-size", maxSize, pingpong || futures, "lacks this option of pingpong and futures");
        require("--min-size", minSize, pingpong || futures, "lacks this option of pingpong and futures");
        require("-i", iterations, family != Family.HELLO, "repeats nothing");
        require("-x", warmup, family != Family.HELLO && !kernel, kernel ? "has no warm-up" : "repeats nothing");
        require("-W", window, test.hasWindow(), "sends one message at a time");
        require("-t", tests, family == Family.NONBLOCKING, "has no nonblocking operation");
        boolean typed = osu && test.isSized() && test != BenchTest.COLUMN && family != Family.FILE;
        require("-T", types, typed, "has no elements of a type to choose");
        require("--buffer", buffers, osu && test.isSized() || pingpong, "has no buffers to choose");
        require("-a", array, pingpong, "lacks this option of pingpong");
        require("-c", check, osu, "lacks this option of OSU's tests");
        require("-f", full, osu, "lacks this option of OSU's tests");
        require("-p", pickle, pingpong, "lacks this option of pingpong; see --object");
        require("-o", outband, pingpong, "lacks this option of pingpong; see --object");
        require("--object", object, test.takesObjects() || pingpong, "has no form with objects");
        require("-q", quiet, !osu && !kernel, "lacks this option of mpi4py's tests");
        require("--no-header", noHeader, pingpong || futures, "lacks this option of pingpong and futures");
        require("--no-stats", noStats, pingpong || futures, "lacks this option of pingpong and futures");
        String[] steps = {skipLarge, loopLarge, largeSize, skipHuge, loopHuge, hugeSize};
        for (String step : steps)
            require("--large-size and similar", step, pingpong, "lacks these options of pingpong");
        if (kernel && size != null && iterations != null) {
            throw new UsageException(
                    "--size " + size + " and -i " + iterations + ": both are a number of iterations; give one");
        }
        if (object && types != null) {
            throw new UsageException(
                    "-T " + types + ": with --object, data is arrays of bytes, or of floats for reductions;"
                            + " leave out one of the two");
        }
    }

    private void require(String option, @Nullable String value, boolean known, String why) {
        if (value != null && !known) throw new UsageException(option + " " + value + ": " + test.word() + " " + why);
    }

    private void require(String option, boolean given, boolean known, String why) {
        if (given && !known) throw new UsageException(option + ": " + test.word() + " " + why);
    }

    private List<Storage> storages() {
        if (object || pickle || outband) return List.of(Storage.OBJECT);
        if (array != null) {
            return switch (array) {
                case "heap", "numpy" -> List.of(Storage.HEAP);
                case "segment" -> List.of(Storage.SEGMENT);
                case "none" -> List.of(Storage.DIRECT);
                default ->
                    throw new UsageException("-a " + array + ": there are heap (Java arrays; numpy is another word for"
                            + " it), segment (mpi.alloc) and none (a direct NIO buffer)");
            };
        }
        if (buffers == null) return List.of(Storage.HEAP);
        List<Storage> storages = new ArrayList<>();
        for (String word : buffers.split(",", -1)) {
            Storage storage = Storage.named(word);
            if (storage == null
                    || storage == Storage.OBJECT && !(test.takesObjects() || test.family() == Family.PINGPONG)) {
                throw new UsageException("--buffer " + buffers + ": there are heap (Java arrays), segment (mpi.alloc),"
                        + " direct (NIO buffers) and, where the test has it, device and object; several separated by commas"
                        + " between them");
            }
            if (storage == Storage.DEVICE && !test.takesDevices()) {
                throw new UsageException("--buffer " + buffers + ": " + test.word()
                        + " is for host memory; messages and collective operations support device memory");
            }
            storages.add(storage);
        }
        return storages;
    }

    private List<BufferElement> types() {
        if (types == null) return List.of(test.defaultType());
        if (types.equals(ALL_TYPES)) {
            return test.reduces()
                    ? List.of(BufferElement.INT, BufferElement.FLOAT)
                    : List.of(BufferElement.BYTE, BufferElement.INT, BufferElement.FLOAT);
        }
        BufferElement type = BufferElement.named(types);
        if (type != null) return List.of(type);
        throw new UsageException("-T " + types
                + ": there are byte, int, long, float, double, OSU's mpi_char, mpi_int and" + " mpi_float, and all");
    }

    private List<Long> bytes(BufferElement type) {
        if (test.family() == Family.RING) {
            return List.of(size == null ? 1L : number("--size", size, 0, LARGEST, "--size 1024"));
        }
        if (test.family() == Family.PINGPONG) return powers(LARGEST);
        if (test.family() == Family.FUTURES) return powers(LARGEST_OF_TASKS);
        if (!test.isSized()) return test.family().isOsu() ? List.of(0L) : List.of();
        Set<Long> all = new LinkedHashSet<>();
        for (long bytes : sizes == null ? test.defaultBytes() : given(sizes)) {
            all.add(
                    bytes == 0 && !test.reduces() && test.family() != Family.FILE
                            ? 0
                            : Math.max(bytes, Math.max(type.bytes(), test.smallestBytes(type))));
        }
        return List.copyOf(all);
    }

    /// Returns mpi4py's sizes: powers of two.
    private List<Long> powers(int standard) {
        if (sizes != null && minSize != null) throw new UsageException("-m and --min-size are one option; give one");
        String least = sizes == null ? minSize : sizes;
        int min = least == null ? 1 : number("-m", least, 0, LARGEST, "-m 1024");
        int max = maxSize == null ? standard : number("--max-size", maxSize, 1, LARGEST, "--max-size 65536");
        if (min > max) {
            throw new UsageException("-m " + min + ": the smallest message is not larger than --max-size " + max);
        }
        return doubling(1, max).stream().filter(bytes -> bytes >= min).toList();
    }

    private List<Long> given(String text) {
        if (text.indexOf(',') < 0) {
            int colon = text.indexOf(':');
            long min = colon < 0 ? 1 : bytes(text.substring(0, colon)), max = bytes(text.substring(colon + 1));
            if (min > max && colon < 0) min = max;
            if (min <= max) return doubling(min, max);
            throw new UsageException("-m " + text + ": give the smallest size first, as in -m 8:65536");
        }
        List<Long> list = new ArrayList<>();
        for (String word : text.split(",", -1)) list.add(bytes(word));
        return list;
    }

    private static List<Long> doubling(long min, long max) {
        List<Long> list = new ArrayList<>();
        for (long bytes = min; bytes <= max; bytes = bytes == 0 ? 1 : 2 * bytes) list.add(bytes);
        return list;
    }

    private long bytes(String word) {
        try {
            long value = Long.parseLong(word);
            if (value >= 0 && value <= LARGEST) return value;
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new UsageException("-m " + sizes + ": sizes are numbers of bytes from 0 to " + LARGEST
                + ", as in -m 8:65536, which doubles, or -m 8,65536");
    }

    private int warmup() {
        if (warmup != null) return number("-x", warmup, 0, MOST_ITERATIONS, "-x 1000");
        return test.family() == Family.RING || test.isKernel() ? 0 : BenchOptions.UNSAID;
    }

    private int iterations() {
        boolean osu = test.family().isOsu();
        if (iterations != null)
            return number("-i", iterations, osu || test.isKernel() ? 1 : 0, MOST_ITERATIONS, "-i 10000");
        if (osu) return BenchOptions.UNSAID;
        if (test.isKernel()) return (size == null ? KernelSize.SMALL : kernelSize(size)).iterations(test);
        if (test.family() == Family.FUTURES) return DEFAULT_LOOP_OF_TASKS;
        return test.family() == Family.PINGPONG ? DEFAULT_LOOP_OF_PINGPONG : 1;
    }

    /// Returns the size of a kernel.
    ///
    /// @throws UsageException if no size has this name
    public static KernelSize kernelSize(String word) {
        KernelSize size = KernelSize.named(word);
        if (size != null) return size;
        throw new UsageException("--size " + word + ": there are " + String.join(", ", KernelSize.words()));
    }

    private Steps steps() {
        Steps standard = Steps.DEFAULT;
        return new Steps(
                step("--large-size", largeSize, (int) standard.largeBytes()),
                step("--skip-large", skipLarge, standard.skipLarge()),
                step("--loop-large", loopLarge, standard.loopLarge()),
                step("--huge-size", hugeSize, (int) standard.hugeBytes()),
                step("--skip-huge", skipHuge, standard.skipHuge()),
                step("--loop-huge", loopHuge, standard.loopHuge()));
    }

    private static int step(String option, @Nullable String value, int standard) {
        return value == null ? standard : number(option, value, 0, LARGEST, option + " " + standard);
    }

    /// Parses the value of an option.
    ///
    /// @throws UsageException if it is not a number, or not from `least` to `most`
    public static int number(String option, String text, int least, int most, String example) {
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) return value;
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new UsageException(
                option + " " + text + ": a whole number from " + least + " to " + most + ", as in " + example);
    }

    /// Checks the limit on the size of a Java array.
    private void requireRoom(Storage storage, BufferElement type, List<Long> bytes, int ranks) {
        if (storage == Storage.SEGMENT || storage == Storage.DEVICE || bytes.isEmpty()) return;
        long largest = bytes.stream().mapToLong(Long::longValue).max().orElse(0);
        long blocks = switch (test) {
            case ALLGATHER, ALLTOALL, GATHER, SCATTER, IALLGATHER, IALLTOALL, IGATHER, ISCATTER -> ranks;
            case COLUMN -> 1000;
            default -> 1;
        };
        long unit = storage == Storage.HEAP ? test == BenchTest.COLUMN ? Double.BYTES : type.bytes() : 1;
        if (largest / unit * blocks < Integer.MAX_VALUE) return;
        throw new UsageException("-m: " + largest + " bytes, " + blocks + " times, are more than " + storage.word()
                + " memory holds in one piece; take --buffer segment or smaller messages");
    }
}
