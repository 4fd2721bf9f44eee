package org.tutti.lab.stress.count;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A text file with one paragraph per call, which contains the bounds of the call and the counted methods.
///
///     send 8 B: 62 methods, 10 accesses, 2 values, 3300 bytes
///         Buf.bytes 2, Comm.send 1, …
///
/// The last paragraph lists the methods with more than [#MOST_BYTES] bytes of bytecode, each with the size.
///
/// @param bounds the bounds of each call
/// @param longMethods the size of each long method, in bytes
record CountFile(Map<String, Bound> bounds, Map<String, Integer> longMethods) {
    /// Maximum bytecode size, in bytes, of a method that C2 inlines into a frequent caller (`FreqInlineSize`).
    static final int MOST_BYTES = 325;

    /// The bound for bytecode is a multiple of this number of bytes. It exceeds the count by at least half of
    /// this number, so that small changes do not require a new file.
    private static final int BYTES_STEP = 100;

    private static final int COLUMNS = 118;
    private static final String LONG = "More than " + MOST_BYTES + " bytes:";
    private static final String HEAD = """
            # The calls of CountedCalls: methods of Tutti that one call executes; accesses to shared memory through a
            # VarHandle; values that are read or written by methods of MemorySegment; bytes of bytecode of the distinct
            # methods, rounded. CallCountTest fails above these bounds, and writes this file with -Dtutti.counts=write.
            """;
    private static final Pattern TITLE =
            Pattern.compile("(.+): (\\d+) methods, (\\d+) accesses, (\\d+) values, (\\d+) bytes");
    private static final Pattern METHOD = Pattern.compile("([^\\s,]+) (\\d+)");

    /// @param counts the number of executions of each method when the file was written
    record Bound(int methods, int accesses, int values, int bytes, Map<String, Integer> counts) {}

    /// Returns a file with these counts as bounds.
    static CountFile of(Collection<CallCount> calls) {
        CountFile file = new CountFile(new LinkedHashMap<>(), new TreeMap<>());
        for (CallCount c : calls) {
            int bytes = Math.ceilDiv(c.bytes() + BYTES_STEP / 2, BYTES_STEP) * BYTES_STEP;
            file.bounds.put(c.call(), new Bound(c.total(), c.accesses(), c.values(), bytes, c.methods()));
            c.largest().forEach((name, size) -> {
                if (size > MOST_BYTES) file.longMethods.put(name, size);
            });
        }
        return file;
    }

    static CountFile read(Path path) throws IOException {
        CountFile file = new CountFile(new LinkedHashMap<>(), new TreeMap<>());
        Map<String, Integer> paragraph = new TreeMap<>();
        for (String line : Files.readAllLines(path)) {
            if (line.isBlank() || line.startsWith("#")) continue;
            Matcher title = TITLE.matcher(line);
            if (title.matches()) {
                paragraph = new TreeMap<>();
                file.bounds.put(
                        title.group(1),
                        new Bound(number(title, 2), number(title, 3), number(title, 4), number(title, 5), paragraph));
            } else if (line.equals(LONG)) {
                paragraph = file.longMethods;
            } else {
                Matcher method = METHOD.matcher(line);
                while (method.find()) paragraph.put(method.group(1), number(method, 2));
            }
        }
        return file;
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }

    void write(Path path) throws IOException {
        StringBuilder text = new StringBuilder(HEAD);
        bounds.forEach((call, b) -> {
            text.append("\n%s: %d methods, %d accesses, %d values, %d bytes\n"
                    .formatted(call, b.methods, b.accesses, b.values, b.bytes));
            append(text, b.counts);
        });
        text.append('\n').append(LONG).append('\n');
        append(text, longMethods);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private static void append(StringBuilder text, Map<String, Integer> counts) {
        StringBuilder line = new StringBuilder();
        for (Map.Entry<String, Integer> e : counts.entrySet()) {
            String item = e.getKey() + " " + e.getValue();
            if (!line.isEmpty() && line.length() + item.length() + 3 > COLUMNS) {
                text.append(line).append(",\n");
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "    " : ", ").append(item);
        }
        text.append(line).append('\n');
    }

    /// Returns a text for each count that exceeds a bound.
    List<String> exceeded(Collection<CallCount> calls) {
        List<String> facts = new ArrayList<>();
        Map<String, Integer> sizes = new TreeMap<>();
        for (CallCount c : calls) {
            sizes.putAll(c.largest());
            Bound bound = bounds.get(c.call());
            if (bound == null) {
                facts.add(c.call() + ": no bound");
                continue;
            }
            List<String> parts = new ArrayList<>();
            compare(parts, "methods", c.total(), bound.methods);
            compare(parts, "accesses", c.accesses(), bound.accesses);
            compare(parts, "values", c.values(), bound.values);
            compare(parts, "bytes of bytecode", c.bytes(), bound.bytes);
            if (parts.isEmpty()) continue;
            facts.add(c.call() + ": " + String.join(", ", parts) + "; new or more often than there: "
                    + c.moreThan(bound.counts));
        }
        sizes.forEach((name, size) -> {
            int most = longMethods.getOrDefault(name, MOST_BYTES);
            if (size > most) facts.add(name + ": " + size + " bytes of bytecode, bound " + most);
        });
        return facts;
    }

    private static void compare(List<String> parts, String unit, int count, int bound) {
        if (count > bound) parts.add(count + " " + unit + ", bound " + bound);
    }
}
