package org.tutti.bench.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The options of a measurement. The command has checked the values; each rank parses the options again, from
/// arguments of the form `name=value`.
///
/// @param sizes message sizes in bytes, in the order of measurement
/// @param warmup warm-up iterations; [#UNSAID] to choose automatically
/// @param iterations measured iterations; [#UNSAID] to choose automatically
/// @param check whether received data is verified
/// @param full whether minimum, maximum and the number of iterations are also printed
/// @param window the number of messages in flight
/// @param tests the number of calls of `test` while a nonblocking operation is overlapped
/// @param tasks the number of tasks of a pool in one iteration
/// @param chunk the number of tasks in one message; 0 to choose automatically
/// @param quiet, header, stats the parts of mpi4py's output that are printed
/// @param steps the limits on iterations for larger messages, in mpi4py's tests
public record BenchOptions(
        BenchTest test,
        List<Long> sizes,
        Storage storage,
        BufferElement type,
        int warmup,
        int iterations,
        boolean check,
        boolean full,
        int window,
        int tests,
        int tasks,
        int chunk,
        boolean quiet,
        boolean header,
        boolean stats,
        Steps steps) {

    /// The value of a number that the user has not specified.
    public static final int UNSAID = -1;

    /// Returns the options as the arguments of a rank.
    public List<String> toArguments() {
        List<String> words = new ArrayList<>();
        words.add("test=" + test.word());
        words.add("sizes=" + sizes.toString().replaceAll("[\\[\\] ]", ""));
        words.add("storage=" + storage.word());
        words.add("type=" + type.word());
        words.add("warmup=" + warmup);
        words.add("iterations=" + iterations);
        words.add("check=" + check);
        words.add("full=" + full);
        words.add("window=" + window);
        words.add("tests=" + tests);
        words.add("tasks=" + tasks);
        words.add("chunk=" + chunk);
        words.add("quiet=" + quiet);
        words.add("header=" + header);
        words.add("stats=" + stats);
        words.add("steps=" + steps.largeBytes() + "," + steps.skipLarge() + "," + steps.loopLarge() + ","
                + steps.hugeBytes() + "," + steps.skipHuge() + "," + steps.loopHuge());
        return words;
    }

    /// @throws IllegalArgumentException if these are not arguments from [#toArguments]
    public static BenchOptions of(String... arguments) {
        Map<String, String> given = new HashMap<>();
        for (String word : arguments) {
            int equals = word.indexOf('=');
            if (equals > 0) given.put(word.substring(0, equals), word.substring(equals + 1));
        }
        BenchTest test = BenchTest.named(word(given, "test"));
        Storage storage = Storage.named(word(given, "storage"));
        BufferElement type = BufferElement.named(word(given, "type"));
        if (test == null || storage == null || type == null) {
            throw new IllegalArgumentException("not arguments of tutti bench: " + given);
        }
        long[] s = numbers(word(given, "steps"));
        List<Long> sizes = new ArrayList<>();
        for (long bytes : numbers(word(given, "sizes"))) sizes.add(bytes);
        return new BenchOptions(
                test,
                List.copyOf(sizes),
                storage,
                type,
                Integer.parseInt(word(given, "warmup")),
                Integer.parseInt(word(given, "iterations")),
                Boolean.parseBoolean(word(given, "check")),
                Boolean.parseBoolean(word(given, "full")),
                Integer.parseInt(word(given, "window")),
                Integer.parseInt(word(given, "tests")),
                Integer.parseInt(word(given, "tasks")),
                Integer.parseInt(word(given, "chunk")),
                Boolean.parseBoolean(word(given, "quiet")),
                Boolean.parseBoolean(word(given, "header")),
                Boolean.parseBoolean(word(given, "stats")),
                new Steps(s[0], (int) s[1], (int) s[2], s[3], (int) s[4], (int) s[5]));
    }

    private static String word(Map<String, String> given, String name) {
        String value = given.get(name);
        if (value == null) throw new IllegalArgumentException("tutti bench passes " + name + "=, which is missing");
        return value;
    }

    private static long[] numbers(String list) {
        if (list.isEmpty()) return new long[0];
        String[] words = list.split(",");
        long[] numbers = new long[words.length];
        for (int i = 0; i < words.length; i++) numbers[i] = Long.parseLong(words[i]);
        return numbers;
    }
}
