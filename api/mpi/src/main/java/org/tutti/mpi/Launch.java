package org.tutti.mpi;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Spawner;
import org.tutti.spi.Spawner.Settings;

/// A program that [Comm#spawnMultiple] starts, how many ranks run it, and what their processes are given.
/// What it is told counts on the root alone. Immutable: what sets something returns another one. MPI 4.1,
/// sections 11.8.3 and 11.8.4.
///
///     Intercomm workers = world.spawnMultiple(0, Launch.of(1, Reader.class, "in.csv"), Launch.of(3, Worker::main));
///     world.spawnMultiple(0, Launch.of(8, Worker::main).soft("2:8:2").env("LEVEL", "2").wdir(Path.of("out")));
public final class Launch {
    /// What Tutti tells ranks begins so.
    private static final String OF_TUTTI = "TUTTI_";

    private static final Pattern TRIPLET = Pattern.compile("(-?\\d{1,10})(?::(-?\\d{1,10})(?::(-?\\d{1,10}))?)?");

    /// `first`, `first` + `step`, … up to `last`.
    private record Range(long first, long last, long step) {
        /// The largest one from 1 to `limit`; 0 for none.
        long largest(long limit) {
            long end = Math.min(last, limit);
            return end < first ? 0 : Math.max(0, first + (end - first) / step * step);
        }

        /// The smallest one from 1 on; 0 for none.
        long smallest() {
            long one = first >= 1 ? first : first + (-first / step + 1) * step;
            return one > last ? 0 : one;
        }
    }

    private final Spawner.Part part;

    /// Numbers of ranks that will do; empty where it is the size alone.
    private final List<Range> sizes;

    private Launch(Spawner.Part part, List<Range> sizes) {
        this.part = part;
        this.sizes = sizes;
    }

    private Launch(int size, Spawner.@Nullable Entry entry, String program, String[] arguments) {
        this(new Spawner.Part(size, entry, program, words(arguments), Settings.NONE), List.of());
    }

    private static List<String> words(String[] arguments) {
        for (String word : Arguments.given("Launch.of", "arguments", arguments))
            Arguments.given("Launch.of", "an argument", word);
        return List.of(arguments);
    }

    /// Returns the main method of `program`, for `size` ranks. Local.
    public static Launch of(int size, Class<?> program, String... arguments) {
        Arguments.given("Launch.of", "program", program);
        return new Launch(size, new Spawner.Entry(program, null, ""), "", arguments);
    }

    /// Returns a static method, for `size` ranks. Local.
    ///
    /// @throws MpiException `ERR_ARG` for a method that is not static and for a lambda that holds values
    public static Launch of(int size, Tutti.Main program, String... arguments) {
        Arguments.given("Launch.of", "program", program);
        return new Launch(size, Spawn.entry(program), "", arguments);
    }

    /// Returns what `tutti run` takes as a program, for `size` ranks: a source file, `Worker.java`, a jar, or
    /// a class on the class path of the root. Local.
    public static Launch of(int size, String program, String... arguments) {
        Arguments.given("Launch.of", "program", program);
        return new Launch(size, null, program, arguments);
    }

    /// Returns this with one more variable in the environment of its ranks, or with another value of it. The
    /// others are those of the root; over a library those of its launcher, which need not hand on the root's.
    /// Local. MPI 4.1, section 11.8.4.
    ///
    /// @throws MpiException `ERR_ARG` for a name or a value that no variable can have, and for a name that
    ///     begins with `TUTTI_`, by which ranks are told who they are
    public Launch env(String name, String value) {
        if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
            throw wrong("name=\"" + printable(name) + "\" is no name of a variable: it has at least one character,"
                    + " and neither = nor the character 0");
        }
        if (name.startsWith(OF_TUTTI)) {
            throw wrong("name=\"" + printable(name) + "\" begins with " + OF_TUTTI + ", as what Tutti tells ranks;"
                    + " take another one");
        }
        if (value.indexOf('\0') >= 0) {
            throw wrong("value=\"" + printable(value) + "\" of " + printable(name) + " holds the character 0, which no"
                    + " variable can");
        }
        Map<String, String> env = new TreeMap<>(part.settings().env());
        env.put(name, value);
        return with(new Settings(
                Map.copyOf(env), part.settings().wdir(), part.settings().jvm()));
    }

    /// Returns this with a working directory for its ranks, relative to the root's. Without it they have the
    /// root's; over a library that of its launcher. What the program is called, and its class path, stays
    /// relative to the root's. The info key `wdir`, MPI 4.1, section 11.8.4. Local: a directory that is
    /// missing where the root runs is `ERR_SPAWN` of [Comm#spawnMultiple], before anything has
    /// started.
    public Launch wdir(Path directory) {
        return with(
                new Settings(part.settings().env(), directory, part.settings().jvm()));
    }

    /// Returns this with more options for the JVMs of its ranks, `-Xmx2g` for instance: they come last, and
    /// Java lets the last one win. Local: what no JVM starts with is `ERR_SPAWN` of [Comm#spawnMultiple],
    /// before anything has started. What MPI 4.1, section 11.8.4, leaves to implementations.
    ///
    /// @throws MpiException `ERR_ARG` when the first one does not begin with `-` or `@`, and so would be
    ///     taken for the program
    public Launch jvm(String... options) {
        if (options.length > 0 && !options[0].startsWith("-") && !options[0].startsWith("@")) {
            throw wrong("jvm=\"" + options[0] + "\" is no option of java, which begin with -, as -Xmx2g does");
        }
        List<String> jvm = new ArrayList<>(part.settings().jvm());
        jvm.addAll(List.of(options));
        return with(new Settings(part.settings().env(), part.settings().wdir(), List.copyOf(jvm)));
    }

    /// Returns this for any of some numbers of ranks: the largest is started that there is room for, and
    /// [Intercomm#remoteSize] says which. `sizes` are triplets `first:last:step`, divided by commas; `last` and
    /// `step` may be missing: `1:8:2` is 1, 3, 5 and 7, `4,1:2` is 1, 2 and 4. Numbers below 1 and above the size
    /// are ignored, and the size is one of them only when a triplet holds it. The info key `soft`, MPI 4.1,
    /// sections 11.8.2 and 11.8.4. Local.
    ///
    /// Over shared memory processes take turns when there are more than cores, so there is room for as many as
    /// a world can have, 1,024. Over a library the root asks once, because Open MPI 4.1 does not come back from
    /// a second call after a refusal: for the largest number that fits into the slots of Open MPI's `mpirun`,
    /// less the processes of this world, of its parents, and those that this rank has started before; for the
    /// smallest where none fits; for the largest where slots do not count, as with `--oversubscribe`, or are
    /// not known. What other ranks have started is not seen, and what has ended is not taken off. When the
    /// library refuses, spawn is `ERR_SPAWN`, though a smaller number might have been started. Of several
    /// programs each in turn has the largest number that leaves the others room for their smallest.
    ///
    /// @throws MpiException `ERR_ARG` for what is no list of triplets, for a step of 0 or one that leads away
    ///     from `last`, and when no number from 1 to the size is in it
    public Launch soft(String sizes) {
        List<Range> ranges = new ArrayList<>();
        for (String triplet : sizes.split(",", -1)) ranges.add(range(sizes, triplet.strip()));
        Launch soft = new Launch(part, List.copyOf(ranges));
        if (soft.smallest() == 0) {
            throw wrong("soft=\"" + sizes + "\" holds no number from 1 to size=" + part.size());
        }
        return soft;
    }

    private static Range range(String sizes, String triplet) {
        Matcher parts = TRIPLET.matcher(triplet);
        if (!parts.matches()) {
            throw wrong("soft=\"" + printable(sizes) + "\": \"" + printable(triplet)
                    + "\" is no triplet of numbers; write first:last:step, as in 1:8:2, and commas between several");
        }
        long first = Long.parseLong(parts.group(1));
        long last = parts.group(2) == null ? first : Long.parseLong(parts.group(2));
        long step = parts.group(3) == null ? 1 : Long.parseLong(parts.group(3));
        if (step == 0 || last != first && step > 0 != last > first) {
            throw wrong("soft=\"" + sizes + "\": step=" + step + " does not lead from " + first + " to " + last);
        }
        long end = first + (last - first) / step * step;
        return new Range(Math.min(first, end), Math.max(first, end), Math.abs(step));
    }

    Spawner.Part part() {
        return part;
    }

    /// The largest number of ranks that will do, at most `room`; 0 for none.
    int largest(long room) {
        long limit = Math.min(room, part.size());
        if (sizes.isEmpty()) return limit < part.size() ? 0 : part.size();
        return (int) sizes.stream().mapToLong(r -> r.largest(limit)).max().orElse(0);
    }

    /// The smallest number of ranks that will do; 0 for none.
    int smallest() {
        if (sizes.isEmpty()) return part.size();
        return (int) sizes.stream()
                .mapToLong(Range::smallest)
                .filter(n -> n > 0 && n <= part.size())
                .min()
                .orElse(0);
    }

    private Launch with(Settings settings) {
        return new Launch(part.with(settings), sizes);
    }

    private static String printable(String text) {
        return text.replace("\0", "\\0");
    }

    private static MpiException wrong(String text) {
        return MpiException.argument(ErrorClass.ERR_ARG, "spawn", text, null);
    }
}
