package org.tutti.testkit.e2e.mpj;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Sources of classes that have the members of the original's table and do nothing: what programs were
/// compiled against.
final class MpjStubs {
    /// Named by signatures in the table, and not by a line of it.
    private static final Map<String, String> OTHERS = Map.of(
            "mpjbuf.RawBuffer", "public interface RawBuffer {}",
            "mpjbuf.BufferException", "public class BufferException extends RuntimeException {}",
            "mpjbuf.Type", "public class Type { public static final Type LONG = null, BOOLEAN = null; }");

    private MpjStubs() {}

    /// Writes them below `directory`, and returns the files.
    static List<Path> write(Path table, Path directory) throws IOException {
        Map<String, StringBuilder> bodies = new LinkedHashMap<>();
        for (String line : Files.readAllLines(table)) {
            String[] c = line.split("\t", -1);
            if (c[1].equals("kind") || c[7].contains("leave out")) continue;
            switch (c[1]) {
                case "class", "interface" -> bodies.put(c[0], new StringBuilder(head(c)));
                default -> bodies.get(c[0]).append("    ").append(member(c)).append('\n');
            }
        }
        List<Path> files = new ArrayList<>();
        for (var e : bodies.entrySet()) files.add(write(directory, e.getKey(), e.getValue() + "}\n"));
        for (var e : OTHERS.entrySet()) files.add(write(directory, e.getKey(), e.getValue()));
        return files;
    }

    private static String head(String[] c) {
        String above = c[5].replace("extends mpjdev.Status", ""); // its fields have moved down
        return c[2] + " " + c[1] + " " + c[3] + " " + above + " {\n";
    }

    private static String member(String[] c) {
        String[] types = c[4].isEmpty() ? new String[0] : c[4].split(", ");
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

    /// A compile-time constant is one, and nothing else is.
    private static String value(String[] c) {
        if (c[8].startsWith("=")) return " " + c[8];
        return c[2].contains("final") ? " = Integer.parseInt(\"0\")" : "";
    }

    private static Path write(Path directory, String className, String body) throws IOException {
        String full = className.contains(".") ? className : "mpi." + className;
        String inPackage = full.substring(0, full.lastIndexOf('.'));
        Path file = directory.resolve(full.replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        String imports = Stream.of("java.nio.ByteBuffer", "mpi.*")
                .filter(i -> !inPackage.equals("mpi") || !i.startsWith("mpi"))
                .map(i -> "import " + i + ";\n")
                .collect(Collectors.joining());
        return Files.writeString(file, "package " + inPackage + ";\n" + imports + body);
    }
}
