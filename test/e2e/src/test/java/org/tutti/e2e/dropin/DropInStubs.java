package org.tutti.e2e.dropin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Creates the sources of stub classes, against which programs are compiled. A stub has the members that the
/// table of the original API lists, with empty bodies.
final class DropInStubs {
    /// Types that signatures in the table of MPJ Express use, but that the table does not list.
    private static final Map<String, String> UNLISTED = Map.of(
            "mpjbuf.RawBuffer", "public interface RawBuffer {}",
            "mpjbuf.BufferException", "public class BufferException extends RuntimeException {}",
            "mpjbuf.Type", "public class Type { public static final Type LONG = null, BOOLEAN = null; }");

    private static final Pattern LEFT_OUT = Pattern.compile("leave out|inside the package");

    private DropInStubs() {}

    /// Writes the sources to `directory`, and returns the files.
    static List<Path> write(Path table, Path directory) throws IOException {
        Map<String, StringBuilder> bodies = new LinkedHashMap<>();
        for (String line : Files.readAllLines(table)) {
            String[] c = line.split("\t", -1);
            if (c[1].equals("kind") || LEFT_OUT.matcher(c[7]).find()) continue;
            switch (c[1]) {
                case "class", "interface" -> bodies.put(c[0], new StringBuilder(head(c)));
                default -> bodies.get(c[0]).append("    ").append(member(c)).append('\n');
            }
        }
        List<Path> files = new ArrayList<>();
        for (var e : bodies.entrySet()) {
            if (isNested(e.getKey())) continue;
            StringBuilder nested = bodies.get(e.getKey() + ".Data");
            files.add(write(directory, e.getKey(), e.getValue() + (nested == null ? "" : nested + "}\n") + "}\n"));
        }
        if (bodies.containsKey("mpjbuf.Buffer")) {
            for (var e : UNLISTED.entrySet()) files.add(write(directory, e.getKey(), e.getValue()));
        }
        return files;
    }

    /// Returns whether the class is nested in another class, like `Struct.Data`.
    private static boolean isNested(String name) {
        return name.endsWith(".Data");
    }

    private static String head(String[] c) {
        String above = c[5].replace("extends mpjdev.Status", ""); // fields are listed in the class
        boolean makesData = above.equals("extends Struct") && c[2].contains("final");
        return c[2] + " " + c[1] + " " + c[3] + " " + above + " {\n"
                + (makesData ? "    protected Data newData() { return null; }\n" : "");
    }

    private static String member(String[] c) {
        boolean makesNested = c[1].equals("constructor") && isNested(c[0]); // an implicit parameter
        String[] types = c[4].isEmpty() || makesNested ? new String[0] : c[4].split(", ");
        String parameters = IntStream.range(0, types.length)
                .mapToObj(i -> types[i] + " p" + i)
                .collect(Collectors.joining(", ", "(", ")"));
        String thrown = c[6].isEmpty() ? "" : " throws " + c[6];
        return switch (c[1]) {
            case "field" -> c[2] + " " + c[5] + " " + c[3] + value(c) + ";";
            case "constructor" -> c[2] + " " + c[3] + parameters + thrown + " {}";
            default ->
                c[2] + " " + c[5] + " " + c[3] + parameters + thrown
                        + (c[2].contains("abstract") ? ";" : " { throw new RuntimeException(); }");
        };
    }

    /// Returns the initializer. Only fields that are compile-time constants of the original may be compile-time
    /// constants.
    private static String value(String[] c) {
        if (c[8].startsWith("=")) return " " + c[8];
        if (!c[2].contains("final")) return "";
        return switch (c[5]) {
            case "int", "long" -> " = Integer.parseInt(\"0\")";
            case "boolean" -> " = Boolean.parseBoolean(\"\")";
            default -> " = null";
        };
    }

    private static Path write(Path directory, String className, String body) throws IOException {
        String full = className.contains(".") ? className : "mpi." + className;
        String inPackage = full.substring(0, full.lastIndexOf('.'));
        Path file = directory.resolve(full.replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        String imports = Stream.of("java.nio.*", "mpi.*")
                .filter(i -> !inPackage.equals("mpi") || !i.startsWith("mpi"))
                .map(i -> "import " + i + ";\n")
                .collect(Collectors.joining());
        return Files.writeString(file, "package " + inPackage + ";\n" + imports + body);
    }
}
