package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The public API is the original's: every member of the table exists, with the types, modifiers, exceptions
/// and values to which class files link. No other public members exist.
class SurfaceTest {
    /// Members that throw `UnsupportedOperationException`; docs/from-openmpi-java.md has the same list.
    static final Set<String> UNSUPPORTED = Set.of("Win.attach", "Win.detach");

    private static final int MOST_UNSUPPORTED = 15;

    /// A row of the table.
    record Row(
            String owner,
            String kind,
            String modifiers,
            String name,
            List<String> parameters,
            String type,
            String thrown,
            String means,
            String value) {
        static Row of(String line) {
            String[] f = line.split("\t", -1);
            List<String> parameters = f[4].isEmpty()
                    ? List.of()
                    : List.of(f[4].replace("S,", "Struct,").split(", "));
            return new Row(f[0], f[1], f[2], f[3], parameters, f[5], f[6], f[7], f[8]);
        }

        boolean isOfProgram() {
            return !means.startsWith("inside the package");
        }

        boolean isMember() {
            return Set.of("field", "constructor", "method").contains(kind);
        }

        /// `send(Object,int)`.
        String key() {
            return owner + "." + (kind.equals("constructor") ? "new" : name)
                    + (kind.equals("field") ? "" : "(" + String.join(",", parameters) + ")");
        }
    }

    static List<Row> table() throws IOException {
        return all().stream().filter(Row::isOfProgram).toList();
    }

    static List<Row> all() throws IOException {
        try (InputStream in = SurfaceTest.class.getResourceAsStream("/openmpi-java.tsv")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().skip(1).map(Row::of).toList();
        }
    }

    private static Class<?> of(String owner) throws ClassNotFoundException {
        return Class.forName("mpi." + owner.replace('.', '$'));
    }

    @Test
    void everyClassIsThere() throws Exception {
        for (Row row : table()) {
            if (row.isMember()) continue;
            Class<?> c = of(row.owner);
            int used = c.getModifiers() & (Modifier.PUBLIC | Modifier.FINAL | Modifier.ABSTRACT);
            if (c.isInterface()) used &= ~Modifier.ABSTRACT;
            assertThat(Modifier.toString(used)).as(row.owner).isEqualTo(row.modifiers);
            assertThat(c.isInterface()).as(row.owner).isEqualTo(row.kind.equals("interface"));
            String type = row.type;
            if (type.startsWith("extends ")) {
                assertThat(name(c.getSuperclass())).as(row.owner).isEqualTo(type.substring("extends ".length()));
            } else {
                if (!c.isInterface())
                    assertThat(c.getSuperclass()).as(row.owner).isEqualTo(Object.class);
                String interfaces =
                        Arrays.stream(c.getInterfaces()).map(SurfaceTest::name).collect(Collectors.joining(", "));
                assertThat(interfaces.isEmpty() ? "" : "implements " + interfaces)
                        .as(row.owner)
                        .isEqualTo(type);
            }
        }
    }

    @Test
    void everyMemberIsThereAndLinks() throws Exception {
        List<String> wrong = new ArrayList<>();
        for (Row row : table()) {
            if (!row.isMember()) continue;
            String found = found(of(row.owner), row);
            String wanted = (row.modifiers + " " + erased(row.type) + " throws " + row.thrown).strip();
            if (!wanted.equals(found)) wrong.add(row.key() + ": " + found + ", not " + wanted);
        }
        assertThat(wrong).isEmpty();
    }

    private static String found(Class<?> c, Row row) {
        for (Member m : members(c)) {
            if (!key(c, m).equals(row.key())) continue;
            String type = switch (m) {
                case Field f -> name(f.getType());
                case Method method -> name(method.getReturnType());
                default -> "";
            };
            String thrown = m instanceof Executable e
                    ? Arrays.stream(e.getExceptionTypes())
                            .map(SurfaceTest::name)
                            .collect(Collectors.joining(", "))
                    : "";
            int used = m.getModifiers()
                    & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.FINAL | Modifier.ABSTRACT);
            return (Modifier.toString(used) + " " + type + " throws " + thrown).strip();
        }
        return "nothing";
    }

    private static String key(Class<?> c, Member m) {
        String owner = name(c);
        if (m instanceof Field f) return owner + "." + f.getName();
        Executable e = (Executable) m;
        List<String> parameters =
                Arrays.stream(e.getParameterTypes()).map(SurfaceTest::name).toList();
        return owner + "." + (m instanceof Method ? m.getName() : "new") + "(" + String.join(",", parameters) + ")";
    }

    private static List<Member> members(Class<?> c) {
        return Stream.<Member>concat(
                        Stream.concat(Arrays.stream(c.getDeclaredFields()), Arrays.stream(c.getDeclaredConstructors())),
                        Arrays.stream(c.getDeclaredMethods()).filter(m -> !m.isBridge()))
                .filter(m -> !m.isSynthetic())
                .filter(m -> (m.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0)
                .toList();
    }

    /// A further public class could have the same name as a class that a program imports with `java.io.*`; the
    /// name would then be ambiguous.
    @Test
    void nothingElseIsPublic() throws Exception {
        Set<String> known = all().stream().filter(Row::isMember).map(Row::key).collect(Collectors.toSet());
        Set<String> more = new TreeSet<>();
        for (Row row : table()) {
            if (row.isMember()) continue;
            Class<?> c = of(row.owner);
            for (Member m : members(c)) {
                boolean ofObject = m instanceof Method method && overridesObject(method);
                if (!ofObject && !(m instanceof Constructor && c.isInterface()) && !known.contains(key(c, m))) {
                    more.add(key(c, m));
                }
            }
        }
        assertThat(more).isEmpty();
    }

    private static boolean overridesObject(Method m) {
        try {
            Object.class.getMethod(m.getName(), m.getParameterTypes());
            return true;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    @Test
    void numbersAreTheOriginals() throws Exception {
        List<String> wrong = new ArrayList<>();
        for (Row row : table()) {
            if (row.value.isEmpty()) continue;
            Class<?> c = of(row.owner);
            String value = row.value.startsWith("=") ? row.value.substring(1) : row.value;
            Field field = c.getField(row.name);
            if (field.getInt(null) != Integer.parseInt(value)) wrong.add(row.key() + " is " + field.getInt(null));
            if (isInlined(c, row.name) != row.value.startsWith("=")) wrong.add(row.key() + ": inlined or not");
        }
        assertThat(wrong).isEmpty();
    }

    /// Returns whether the compiler copies the value into classes that use the constant.
    private static boolean isInlined(Class<?> c, String field) throws IOException {
        String file = c.getName().substring(c.getPackageName().length() + 1) + ".class";
        try (InputStream in = c.getResourceAsStream(file)) {
            ClassModel model = ClassFile.of().parse(in.readAllBytes());
            FieldModel found = model.fields().stream()
                    .filter(f -> f.fieldName().equalsString(field))
                    .findFirst()
                    .orElseThrow();
            return found.findAttribute(Attributes.constantValue()).isPresent();
        }
    }

    @Test
    void fewAreUnsupported() throws Exception {
        Set<String> members = table().stream().map(r -> r.owner + "." + r.name).collect(Collectors.toSet());
        assertThat(UNSUPPORTED).hasSizeLessThanOrEqualTo(MOST_UNSUPPORTED).isSubsetOf(members);
    }

    private static String name(Class<?> c) {
        if (c.isArray()) return name(c.getComponentType()) + "[]";
        if (c.isPrimitive() || !c.getPackageName().equals("mpi")) return c.getSimpleName();
        return c.getName().substring("mpi.".length()).replace('$', '.');
    }

    /// Returns the bound of `<T extends Struct.Data> T`, as in the class file.
    private static String erased(String type) {
        if (!type.startsWith("<")) return type;
        String variable = type.substring(type.indexOf('>') + 2);
        String from = type.substring(type.indexOf(variable + " extends ") + variable.length() + " extends ".length());
        return from.substring(0, from.indexOf(from.contains(",") && from.indexOf(',') < from.indexOf('>') ? ',' : '>'));
    }
}
