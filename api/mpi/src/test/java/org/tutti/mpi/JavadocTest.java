package org.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The Javadoc of each method of the user API contains the effect, the required callers, whether the method
/// waits, the errors, and the section of MPI 4.1. Reads the sources; `./mvnw -Pdocs process-classes` checks
/// links and tags.
class JavadocTest {
    private static final Path SOURCES = Path.of("src/main/java/org/tutti/mpi");

    /// Classes without a counterpart in the standard.
    private static final Set<String> TUTTIS =
            Set.of("Tutti", "ExactSum", "Complex", "Direction", "ObjectType", "Received");

    /// Methods that call a throwing method only with valid arguments.
    private static final Set<String> SAFE = Set.of("ArrayView.inside", "Matrix.all", "Records.buf");

    private static final Pattern WAITS = Pattern.compile("\\b([Ll]ocal|[Cc]ollective|[Bb]locking)\\b");

    private static final Pattern FAILS = Pattern.compile(
            "\\b(begin|check\\w*|engine|mapped|piece)\\(|MpiException[.](argument|message|job)\\(|\\bthrow\\b");

    /// @param doc the paragraphs, including tags
    /// @param body the text between the braces; empty without a body
    private record Member(String name, String line, String doc, String body, boolean isMethod) {
        boolean throwsSomething() {
            return doc.contains("@throws");
        }
    }

    static Stream<Path> sources() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            List<Path> isPublic = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                if (file.toString().endsWith(".java") && Files.readString(file).contains("\npublic "))
                    isPublic.add(file.getFileName());
            }
            return isPublic.stream();
        }
    }

    @ParameterizedTest
    @MethodSource("sources")
    void everyPublicMethodHasADescription(Path file) throws IOException {
        List<String> lines = Files.readAllLines(SOURCES.resolve(file));
        String type = file.toString().replace(".java", "");
        List<Member> members = members(lines);
        String ofClass = docOf(lines, "public ", 0);
        List<String> wrong = new ArrayList<>();
        if (ofClass.isEmpty()) wrong.add(type + " has no doc");
        for (Member m : members) {
            String why = m.doc.isEmpty() ? "has no doc" : problem(m, type, ofClass, failing(members));
            if (why != null) wrong.add(type + "." + m.name + " " + why + ": " + m.line);
        }
        assertThat(wrong).isEmpty();
    }

    /// Some public classes inherit methods, with the Javadoc, from a class that is not public. The Javadoc must
    /// not name that class, because a program cannot access it.
    @Test
    void publicDocsNameNoHiddenClass() throws IOException {
        Set<String> hidden = new TreeSet<>(), wrong = new TreeSet<>();
        Map<String, List<String>> all = new TreeMap<>();
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                String type = file.getFileName().toString().replace(".java", "");
                all.put(type, Files.readAllLines(file));
                if (all.get(type).stream().noneMatch(line -> line.startsWith("public "))) hidden.add(type);
            }
        }
        Pattern link = Pattern.compile("\\[(\\w+)[#\\]]");
        all.forEach((type, lines) -> {
            Stream<String> docs = Stream.concat(
                    Stream.of(docOf(lines, "public ", 0)),
                    members(lines).stream().map(Member::doc));
            docs.flatMap(doc -> link.matcher(doc).results())
                    .filter(named -> hidden.contains(named.group(1)))
                    .forEach(named -> wrong.add(type + " links to " + named.group(1)));
        });
        assertThat(hidden).contains("CollectiveChecks");
        assertThat(wrong).isEmpty();
    }

    private static String problem(Member m, String type, String ofClass, Set<String> failing) {
        String text = m.doc.split("(^|\n)@")[0];
        if (!text.strip().matches("(?s)[A-Z`\\[].*[.:;})`|]")) return "is not a sentence";
        for (String named : errorsIn(m.doc))
            if (!ERRORS.contains(named)) return "names " + named + ", which is no class";
        if (!m.isMethod) return null;
        boolean refers =
                text.matches("(?s)\\s*(Like|Returns) \\[.*") || text.matches("(?s).*\\bas \\[[^\\]]+\\] does.*");
        if (!refers && !WAITS.matcher(text + ofClass).find()) return "does not state the callers, or whether it waits";
        boolean hasSection = refers || (text + ofClass).matches("(?s).*MPI\\s4\\.1.*");
        if (!hasSection && !TUTTIS.contains(type)) return "names no section of the standard";
        boolean fails = FAILS.matcher(m.body).find() || callsOne(m.body, failing);
        if (fails && !m.throwsSomething() && !SAFE.contains(type + "." + m.name)) return "may throw and has no @throws";
        Matcher thrown = Pattern.compile("@throws MpiException([^@]*)").matcher(m.doc);
        while (thrown.find()) {
            String when = thrown.group(1);
            if (!when.contains("ERR_") && !when.contains("as [") && !when.contains("what ") && !when.contains("when "))
                return "has a @throws that names no error class";
        }
        return null;
    }

    private static final Set<String> ERRORS = Stream.of(ErrorClass.class.getFields())
            .map(java.lang.reflect.Field::getName)
            .collect(Collectors.toCollection(TreeSet::new));

    private static Set<String> errorsIn(String doc) {
        return Pattern.compile("`(ERR_\\w+)`")
                .matcher(doc)
                .results()
                .map(r -> r.group(1))
                .filter(name -> !name.equals("ERR_SOLVER"))
                .collect(Collectors.toSet());
    }

    /// The names of methods of a file with a `@throws` tag.
    private static Set<String> failing(List<Member> members) {
        return members.stream()
                .filter(Member::throwsSomething)
                .map(Member::name)
                .collect(Collectors.toCollection(HashSet::new));
    }

    private static boolean callsOne(String body, Set<String> failing) {
        return Pattern.compile("(?<![.\\w])(\\w+)\\(")
                .matcher(body)
                .results()
                .anyMatch(r -> failing.contains(r.group(1)));
    }

    /// The public members that a program can access, except overriding methods.
    private static List<Member> members(List<String> lines) {
        List<Member> members = new ArrayList<>();
        boolean isInterface = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("    public interface ")) isInterface = true;
            if (line.equals("    }")) isInterface = false;
            boolean declared = line.startsWith("    public ") || isInterface && line.matches(" {8}[\\w@].*\\);");
            if (!declared || overrides(lines, i)) continue;
            String head = line.replaceAll("[={].*", "");
            boolean isMethod = line.contains("(") && !line.contains(" = ") && !head.contains(" record ");
            Matcher name = Pattern.compile(
                            isMethod ? "(\\w+)\\(" : "(\\w+)\\s*(=|;|\\{|$|<|\\(| extends| permits| implements)")
                    .matcher(line);
            members.add(new Member(
                    name.find() ? name.group(1) : "?",
                    line.strip(),
                    docAbove(lines, i),
                    isMethod ? body(lines, i) : "",
                    isMethod));
        }
        return members;
    }

    private static boolean overrides(List<String> lines, int at) {
        for (int i = at - 1; lines.get(i).strip().startsWith("@"); i--) {
            boolean isObjects = lines.get(at).contains(" toString()");
            if (lines.get(i).contains("@Override")
                    && (isObjects || docAbove(lines, at).isEmpty())) return true;
        }
        return false;
    }

    private static String body(List<String> lines, int at) {
        if (lines.get(at).endsWith(";")) return "";
        String end = lines.get(at).replaceAll("\\S.*", "") + "}";
        StringBuilder body = new StringBuilder();
        int i = at;
        while (!lines.get(i).endsWith("{") && !lines.get(i).endsWith("{}")) i++;
        if (lines.get(i).endsWith("{}")) return "";
        for (i++; !lines.get(i).equals(end); i++) body.append(lines.get(i)).append('\n');
        return body.toString();
    }

    private static String docOf(List<String> lines, String prefix, int from) {
        for (int i = from; i < lines.size(); i++) if (lines.get(i).startsWith(prefix)) return docAbove(lines, i);
        return "";
    }

    private static String docAbove(List<String> lines, int at) {
        int end = at;
        while (end > 0 && lines.get(end - 1).strip().startsWith("@")) end--;
        int begin = end;
        while (begin > 0 && lines.get(begin - 1).strip().startsWith("///")) begin--;
        return lines.subList(begin, end).stream()
                .map(line -> line.strip().substring(3).strip())
                .collect(Collectors.joining("\n"));
    }
}
