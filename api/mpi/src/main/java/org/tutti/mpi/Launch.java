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

/// A program for [Comm#spawnMultiple], with the number of ranks and the settings of the processes. Only the
/// programs that the root passes are significant. Immutable: a method that changes a setting returns a new
/// object. MPI 4.1, sections 11.8.3 and 11.8.4.
///
///     Intercomm workers = world.spawnMultiple(0, Launch.of(1, Reader.class, "in.csv"), Launch.of(3, Worker::main));
///     world.spawnMultiple(0, Launch.of(8, Worker::main).soft("2:8:2").env("LEVEL", "2").wdir(Path.of("out")));
public final class Launch {
    /// The prefix of Tutti's variables.
    private static final String OF_TUTTI = "TUTTI_";

    private static final Pattern TRIPLET = Pattern.compile("(-?\\d{1,10})(?::(-?\\d{1,10})(?::(-?\\d{1,10}))?)?");

    /// The numbers `first`, `first` + `step`, … up to `last`.
    private record Range(long first, long last, long step) {
        /// Returns the largest number of the range that is at least 1 and at most `limit`; 0 if there is no
        /// such number.
        long largest(long limit) {
            long end = Math.min(last, limit);
            return end < first ? 0 : Math.max(0, first + (end - first) / step * step);
        }

        /// Returns the smallest positive number of the range; 0 if there is no such number.
        long smallest() {
            long one = first >= 1 ? first : first + (-first / step + 1) * step;
            return one > last ? 0 : one;
        }
    }

    private final Spawner.Part part;

    /// The permitted numbers of ranks; empty if `part.size()` is the only permitted number.
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

    /// Returns a program that consists of the main method of `program`, for `size` ranks. Local.
    public static Launch of(int size, Class<?> program, String... arguments) {
        Arguments.given("Launch.of", "program", program);
        return new Launch(size, new Spawner.Entry(program, null, ""), "", arguments);
    }

    /// Returns a program that consists of a static method, for `size` ranks. Local.
    ///
    /// @throws MpiException `ERR_ARG` for an instance method and for a lambda that captures values
    public static Launch of(int size, Tutti.Main program, String... arguments) {
        Arguments.given("Launch.of", "program", program);
        return new Launch(size, Spawn.entry(program), "", arguments);
    }

    /// Returns a program, in a form that `tutti run` accepts, for `size` ranks: a source file, for example
    /// `Worker.java`, a jar, or a class on the class path of the root. Local.
    public static Launch of(int size, String program, String... arguments) {
        Arguments.given("Launch.of", "program", program);
        return new Launch(size, null, program, arguments);
    }

    /// Returns this program with an additional or changed environment variable for the ranks. Other variables
    /// are inherited from the root. Over a library, they are inherited from the library's launcher, which need
    /// not forward the variables of the root. Local. MPI 4.1, section 11.8.4.
    ///
    /// @throws MpiException `ERR_ARG` for an invalid name or value, and for a name that begins with `TUTTI_`,
    ///     the prefix of Tutti's variables
    public Launch env(String name, String value) {
        Arguments.given("spawn", "name", name);
        Arguments.given("spawn", "value of " + name, value);
        if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
            throw wrong("name=\"" + printable(name) + "\" is not the name of a variable; pass at least one character,"
                    + " without = and the character 0");
        }
        if (name.startsWith(OF_TUTTI)) {
            throw wrong("name=\"" + printable(name) + "\" begins with " + OF_TUTTI + ", which is reserved for Tutti;"
                    + " choose a different name");
        }
        if (value.indexOf('\0') >= 0) {
            throw wrong("value=\"" + printable(value) + "\" of " + printable(name)
                    + " contains the character 0, which is not" + " allowed");
        }
        Map<String, String> env = new TreeMap<>(part.settings().env());
        env.put(name, value);
        return with(new Settings(
                Map.copyOf(env), part.settings().wdir(), part.settings().jvm()));
    }

    /// Returns this program with a working directory for the ranks, relative to the root's directory. The
    /// default is the root's directory, or over a library the launcher's directory. The class path remains
    /// relative to the root's directory. This is the info key `wdir`, MPI 4.1, section 11.8.4. Local: if the
    /// directory is missing on the root's machine, [Comm#spawnMultiple] throws `ERR_SPAWN` before it starts any
    /// process.
    public Launch wdir(Path directory) {
        Arguments.given("spawn", "wdir", directory);
        return with(
                new Settings(part.settings().env(), directory, part.settings().jvm()));
    }

    /// Returns this program with additional options for the JVMs of the ranks, for example `-Xmx2g`. These
    /// options follow all other options, and in Java the last option has priority. Local: if no JVM starts with
    /// the options, [Comm#spawnMultiple] throws `ERR_SPAWN` before it starts any process. MPI 4.1, section
    /// 11.8.4, leaves this to implementations.
    ///
    /// @throws MpiException `ERR_ARG` if the first option does not begin with `-` or `@`: Java would interpret
    ///     it as the program
    public Launch jvm(String... options) {
        for (String option : Arguments.given("spawn", "jvm", options)) {
            Arguments.given("spawn", "an option in jvm", option);
        }
        if (options.length > 0 && !options[0].startsWith("-") && !options[0].startsWith("@")) {
            throw wrong(
                    "jvm=\"" + options[0] + "\" is not an option of java; options begin with -, for example -Xmx2g");
        }
        List<String> jvm = new ArrayList<>(part.settings().jvm());
        jvm.addAll(List.of(options));
        return with(new Settings(part.settings().env(), part.settings().wdir(), List.copyOf(jvm)));
    }

    /// Returns this program with several permitted numbers of ranks. The largest number of ranks that fits is
    /// started, and [Intercomm#remoteSize] returns it. `sizes` consists of triplets `first:last:step`, which
    /// are separated by commas; `last` and `step` are optional. For example, `1:8:2` means 1, 3, 5 and 7, and
    /// `4,1:2` means 1, 2 and 4. Numbers below 1 and numbers above the size are ignored, and the size itself is
    /// permitted only if a triplet contains it. This is the info key `soft`, MPI 4.1, sections 11.8.2 and
    /// 11.8.4. Local.
    ///
    /// Over shared memory, processes can share cores, so the limit is the maximum size of a world, 1,024. Over
    /// a library, the root tries only a single number, because Open MPI 4.1 does not return from a second call
    /// after a refusal. The root tries the largest permitted number that fits into the free slots of Open MPI's
    /// `mpirun`: the slots less the processes of this world, of the parents, and of earlier spawns by this
    /// rank. If no number fits, the root tries the smallest permitted number. If the number of slots is
    /// unlimited, as with `--oversubscribe`, or unknown, the root tries the largest permitted number. Processes
    /// started by other ranks are not counted, and terminated processes are not subtracted. If the library
    /// refuses, the spawn throws `ERR_SPAWN`, although a smaller number might have been possible. If there are
    /// several programs, each program in turn gets the largest number for which the smallest numbers of the
    /// remaining programs still fit.
    ///
    /// @throws MpiException `ERR_ARG` for an invalid list of triplets, for a step of 0 or with the wrong sign,
    ///     and if the list contains no number from 1 to the size
    public Launch soft(String sizes) {
        Arguments.given("spawn", "soft", sizes);
        List<Range> ranges = new ArrayList<>();
        for (String triplet : sizes.split(",", -1)) ranges.add(range(sizes, triplet.strip()));
        Launch soft = new Launch(part, List.copyOf(ranges));
        if (soft.smallest() == 0) {
            throw wrong("soft=\"" + sizes + "\" contains no number from 1 to size=" + part.size());
        }
        return soft;
    }

    private static Range range(String sizes, String triplet) {
        Matcher parts = TRIPLET.matcher(triplet);
        if (!parts.matches()) {
            throw wrong("soft=\"" + printable(sizes) + "\": \"" + printable(triplet)
                    + "\" is not a triplet of numbers; write first:last:step, for example 1:8:2, separated by commas");
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

    /// Returns the largest permitted number of ranks that is at most `room`; 0 if there is no such number.
    int largest(long room) {
        long limit = Math.min(room, part.size());
        if (sizes.isEmpty()) return limit < part.size() ? 0 : part.size();
        return (int) sizes.stream().mapToLong(r -> r.largest(limit)).max().orElse(0);
    }

    /// Returns the smallest permitted number of ranks; 0 if there is no such number.
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
