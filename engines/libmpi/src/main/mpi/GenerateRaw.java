import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Generates the classes of `org.tutti.libmpi.raw` from functions.txt: for each C prototype, a method that
/// links the function on the first call and calls it. If the table also has the nonblocking function or the
/// function with large counts, a method of the same name selects one of these.
///
///     java GenerateRaw.java functions.txt target/generated-sources/raw
public final class GenerateRaw {
    private static final String PACKAGE = "org.tutti.libmpi.raw";

    /// The kinds of a parameter, each with the layout in a `FunctionDescriptor` and the type in Java.
    private enum Kind {
        INT("int"),
        COUNT("long"),
        HANDLE("long"),
        POINTER("MemorySegment");

        final String java;

        Kind(String java) {
            this.java = java;
        }

        static Kind of(String c) {
            if (c.indexOf('*') >= 0 || c.endsWith("]")) return POINTER;
            if (c.startsWith("int ")) return INT;
            if (c.startsWith("MPI_Count ") || c.startsWith("MPI_Aint ")) return COUNT;
            if (c.startsWith("MPI_")) return HANDLE;
            throw new IllegalArgumentException("unknown type in: " + c);
        }
    }

    private record Parameter(Kind kind, String name) {
        static Parameter of(String c) {
            String name = c.substring(Math.max(c.lastIndexOf(' '), c.lastIndexOf('*')) + 1);
            return new Parameter(Kind.of(c), name.replace("[]", ""));
        }
    }

    private record Function(String owner, String mark, String prototype, String name, List<Parameter> parameters) {
        static Function of(String owner, String row) {
            int begin = row.indexOf("int MPI_");
            String mark = row.substring(0, begin).strip();
            String prototype = row.substring(begin);
            int open = prototype.indexOf('(');
            String inside = prototype.substring(open + 1, prototype.length() - 1);
            List<Parameter> parameters = new ArrayList<>();
            if (!inside.equals("void")) for (String c : inside.split(", *")) parameters.add(Parameter.of(c));
            return new Function(owner, mark, prototype, prototype.substring("int ".length(), open), parameters);
        }

        /// Returns whether the parameter is a number of elements, according to the name in the standard.
        private static boolean isCount(Parameter p) {
            return p.kind == Kind.INT && p.name.endsWith("count");
        }

        /// Returns the name of the nonblocking function.
        private String nonblocking() {
            return "MPI_I" + name.substring("MPI_".length()).toLowerCase(Locale.ROOT);
        }

        /// Returns the source of a method that calls this function, the nonblocking function, or the function
        /// with large counts; an empty string if the table has neither of the latter two.
        String choice(Map<String, Function> table) {
            Function started = table.get(nonblocking());
            Function wider = table.get(name + "_c");
            boolean either = started != null
                    && started.parameters.size() == parameters.size() + 1
                    && started.parameters.subList(0, parameters.size()).equals(parameters);
            boolean large = wider != null;
            if (!either && !large) return "";
            String declared = (large ? "boolean large, " : "")
                    + parameters.stream()
                            .map(p -> (large && isCount(p) ? "long" : p.kind.java) + " " + p.name)
                            .collect(Collectors.joining(", "))
                    + (either ? ", MemorySegment request" : "");
            String own = parameters.stream()
                    .map(p -> large && isCount(p) ? "(int) " + p.name : p.name)
                    .collect(Collectors.joining(", "));
            String wide = parameters.stream().map(Parameter::name).collect(Collectors.joining(", "));
            String ofLarge = large ? wider.owner + "." : "";
            String body = "";
            if (either && large) {
                body += "        if (large && request.address() != 0) return " + ofLarge + nonblocking() + "_c(" + wide
                        + ", request);\n";
            }
            if (large) body += "        if (large) return " + ofLarge + name + "_c(" + wide + ");\n";
            if (either)
                body += "        if (request.address() != 0) return " + nonblocking() + "(" + own + ", request);\n";
            return "\n    /// `" + name + "`"
                    + (either ? ", with a request that is not null `" + nonblocking() + "`" : "")
                    + (large ? "; with `large` counts, the function of that name and `_c`" : "")
                    + ".\n    public static int " + name + "(" + declared + ") {\n" + body + "        return " + name
                    + "(" + own + ");\n    }\n";
        }

        String text() {
            String link = mark.equals("critical") ? "linkCritical" : "link";
            String kinds = parameters.stream().map(p -> ", Link." + p.kind).collect(Collectors.joining());
            String handle =
                    "static final MethodHandle " + name + " = Link." + link + "(\"" + name + "\"" + kinds + ");";
            boolean eager = mark.equals("eager");
            return (eager ? "    private " + handle + "\n\n" : "")
                    + "    /// `" + prototype + "`\n"
                    + "    public static int " + name + "("
                    + parameters.stream().map(p -> p.kind.java + " " + p.name).collect(Collectors.joining(", "))
                    + ") {\n"
                    + (eager ? "" : "        class Linked {\n            " + handle + "\n        }\n")
                    + "        try {\n            return (int) " + (eager ? "" : "Linked.") + name + ".invokeExact("
                    + parameters.stream().map(Parameter::name).collect(Collectors.joining(", "))
                    + ");\n        } catch (Throwable t) {\n            throw Link.unexpected(t);\n        }\n    }\n";
        }
    }

    public static void main(String[] args) throws IOException {
        Path to = Path.of(args[1]).resolve(PACKAGE.replace('.', '/'));
        Files.createDirectories(to);
        try (Stream<Path> made = Files.list(to)) {
            for (Path file : made.toList()) if (!isClassOf(args[0], file)) Files.delete(file);
        }
        Map<String, List<Function>> classes = new LinkedHashMap<>();
        Map<String, Function> table = new HashMap<>();
        String head = "";
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            if (line.isBlank() || line.startsWith("#")) continue;
            if (line.startsWith(" ")) {
                Function function = Function.of(name(head), line.strip());
                classes.get(head).add(function);
                table.put(function.name, function);
            } else {
                head = line;
                classes.put(head, new ArrayList<>());
            }
        }
        for (Map.Entry<String, List<Function>> c : classes.entrySet()) write(to, c.getKey(), c.getValue(), table);
    }

    private static String name(String head) {
        return head.substring(head.startsWith("all ") ? "all ".length() : 0, head.indexOf(':'));
    }

    /// Returns whether the table still has a class of this name.
    private static boolean isClassOf(String table, Path file) throws IOException {
        String name = file.getFileName().toString().replace(".java", "");
        try (Stream<String> lines = Files.lines(Path.of(table))) {
            return lines.anyMatch(line -> line.replaceFirst("^all ", "").startsWith(name + ":"));
        }
    }

    private static void write(Path to, String head, List<Function> functions, Map<String, Function> table)
            throws IOException {
        boolean all = head.startsWith("all ");
        String name = name(head);
        boolean memory = functions.stream().flatMap(f -> f.parameters.stream()).anyMatch(p -> p.kind == Kind.POINTER);
        String text = "package " + PACKAGE + ";\n\n"
                + (memory ? "import java.lang.foreign.MemorySegment;\n" : "")
                + "import java.lang.invoke.MethodHandle;\n\n"
                + "/// " + head.substring(head.indexOf(':') + 1).strip() + "\n"
                + "public final class " + name + " {\n"
                + (all ? available(functions) : "")
                + functions.stream().map(f -> f.text() + f.choice(table)).collect(Collectors.joining("\n"))
                + "\n    private " + name + "() {}\n}\n";
        Path file = to.resolve(name + ".java");
        // an unchanged file is not written, so that it is not compiled again
        if (!Files.exists(file) || !Files.readString(file).equals(text)) Files.writeString(file, text);
    }

    private static String available(List<Function> functions) {
        return "    /// Whether the library has all of these: calls must be equal on every rank, so it is all or none.\n"
                + "    public static final boolean AVAILABLE = Link.hasAll("
                + functions.stream().map(f -> '"' + f.name + '"').collect(Collectors.joining(", ")) + ");\n\n";
    }
}
