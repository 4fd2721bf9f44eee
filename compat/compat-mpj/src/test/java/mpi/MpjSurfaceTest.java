package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mpi.MpjTable.Row;
import org.junit.jupiter.api.Test;

/// Every member of MPJ Express that a compiled program can refer to exists unchanged, and no further members
/// exist.
class MpjSurfaceTest {
    /// Classes of which the table lists only the members that other classes need.
    private static final Set<String> HELPERS = Set.of("xdev.XDevException", "mpjdev.MPJDevException");

    private static final int SEEN = Modifier.PUBLIC | Modifier.PROTECTED;
    private static final int COMPARED = SEEN | Modifier.STATIC | Modifier.ABSTRACT | Modifier.FINAL;

    private static List<Row> kept() {
        return MpjTable.rows().stream().filter(r -> !r.isLeftOut()).toList();
    }

    private static Class<?> classOf(String name) throws ClassNotFoundException {
        return Class.forName(name.contains(".") ? name : "mpi." + name);
    }

    @Test
    void everyMemberIsThereAsItWas() throws Exception {
        Set<String> wanted = new TreeSet<>();
        Set<String> there = new TreeSet<>();
        for (Row r : kept()) {
            if (r.isClass() && !HELPERS.contains(r.className())) there.addAll(membersOf(r.className()));
            else if (!r.isClass()) wanted.add(text(r));
        }
        assertThat(there).isEqualTo(wanted);
    }

    private static String text(Row r) {
        String member = r.className() + " " + r.modifiers() + " ";
        String parameters = "(" + r.parameters() + ")";
        return (switch (r.kind()) {
                    case "field" -> member + r.type() + " " + r.name();
                    case "constructor" -> member + "new" + parameters + exceptions(r.exceptions());
                    default -> member + r.type() + " " + r.name() + parameters + exceptions(r.exceptions());
                })
                .replaceAll(" +", " ");
    }

    private static String exceptions(String names) {
        return names.isEmpty() ? "" : " throws " + names;
    }

    private static Set<String> membersOf(String name) throws ClassNotFoundException {
        Class<?> c = classOf(name);
        Set<String> texts = new TreeSet<>();
        for (Field f : c.getDeclaredFields()) {
            if (isSeen(f)) texts.add(start(name, f) + shown(f.getType()) + " " + f.getName());
        }
        for (Constructor<?> m : c.getDeclaredConstructors()) {
            if (!isSeen(m)) continue;
            texts.add(start(name, m) + "new" + parameters(m.getParameterTypes()) + thrown(m.getExceptionTypes()));
        }
        for (Method m : c.getDeclaredMethods()) {
            if (!isSeen(m) || name.equals("Freeable")) continue;
            texts.add(start(name, m) + shown(m.getReturnType()) + " " + m.getName() + parameters(m.getParameterTypes())
                    + thrown(m.getExceptionTypes()));
        }
        return texts;
    }

    private static boolean isSeen(Member m) {
        return (m.getModifiers() & SEEN) != 0 && !m.isSynthetic();
    }

    private static String start(String className, Member m) {
        return className + " " + Modifier.toString(m.getModifiers() & COMPARED) + " ";
    }

    private static String parameters(Class<?>[] types) {
        return "(" + Arrays.stream(types).map(MpjSurfaceTest::shown).collect(Collectors.joining(", ")) + ")";
    }

    private static String thrown(Class<?>[] types) {
        return exceptions(Arrays.stream(types).map(MpjSurfaceTest::shown).collect(Collectors.joining(", ")));
    }

    /// Returns the type in the format of the table.
    private static String shown(Class<?> type) {
        if (type.isArray()) return shown(type.componentType()) + "[]";
        return type.getPackageName().startsWith("mpjbuf") ? type.getName() : type.getSimpleName();
    }

    @Test
    void classesHaveTheOriginalSuperclasses() throws Exception {
        for (Row r : kept()) {
            if (!r.isClass()) continue;
            Class<?> c = classOf(r.className());
            String modifiers = Modifier.toString(c.getModifiers() & (SEEN | Modifier.ABSTRACT | Modifier.FINAL));
            String wanted = r.kind().equals("interface") ? "abstract" : r.modifiers();
            assertThat(modifiers).as(r.className()).isEqualTo(wanted);
            // the fields are in a subclass, see the table
            String type = r.className().equals("Status") ? "implements Freeable" : r.type();
            assertThat(above(c)).as(r.className()).isEqualTo(type);
        }
    }

    private static String above(Class<?> c) {
        List<String> words = new ArrayList<>();
        Class<?> parent = c.getSuperclass();
        if (parent != null && parent != Object.class) {
            boolean similar = parent.getPackageName().equals("java.lang")
                    || parent.getPackageName().equals("mpi");
            words.add("extends " + (similar ? parent.getSimpleName() : parent.getName()));
        }
        for (Class<?> i : c.getInterfaces()) words.add("implements " + i.getSimpleName());
        return String.join(" ", words);
    }

    /// Programs import `mpi.*`: a further public class could conflict with the program's names.
    @Test
    void packageMpiHasNoOtherPublicClass() throws Exception {
        Set<String> wanted = kept().stream()
                .filter(r -> r.isClass()
                        && r.modifiers().contains("public")
                        && !r.className().contains("."))
                .map(Row::className)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> there = new TreeSet<>();
        java.nio.file.Path classes = java.nio.file.Path.of(
                MPI.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<java.nio.file.Path> files = java.nio.file.Files.list(classes.resolve("mpi"))) {
            for (java.nio.file.Path file :
                    files.filter(f -> f.toString().endsWith(".class")).toList()) {
                ClassModel model = ClassFile.of().parse(file);
                if ((model.flags().flagsMask() & ClassFile.ACC_PUBLIC) == 0) continue;
                there.add(file.getFileName().toString().replace(".class", ""));
            }
        }
        assertThat(there).isEqualTo(wanted);
    }

    /// The compiler has copied compile-time constants into the class files of programs, so their values must be
    /// equal; programs read other constants at run time.
    @Test
    void constantsHaveTheirValues() throws Exception {
        for (Row r : kept()) {
            if (!r.kind().equals("field")) continue;
            Object constant = constantOf(r.className(), r.name());
            Field field = classOf(r.className()).getDeclaredField(r.name());
            String as = r.className() + "." + r.name();
            if (r.value().startsWith("=")) {
                assertThat(constant).as(as).isNotNull();
                assertThat("=" + field.get(null)).as(as).isEqualTo(r.value());
            } else {
                assertThat(constant).as(as + " is no constant").isNull();
                if (r.value().matches("-?\\d+")) {
                    assertThat("" + field.get(null)).as(as).isEqualTo(r.value());
                } else if (r.value().startsWith("null") || r.value().equals("always null")) {
                    assertThat(field.get(null)).as(as).isNull();
                }
            }
        }
    }

    private static Object constantOf(String className, String field) throws IOException, ClassNotFoundException {
        Class<?> c = classOf(className);
        try (InputStream in =
                Objects.requireNonNull(c.getResourceAsStream("/" + c.getName().replace('.', '/') + ".class"))) {
            return ClassFile.of().parse(in.readAllBytes()).fields().stream()
                    .filter(f -> f.fieldName().equalsString(field))
                    .findFirst()
                    .orElseThrow()
                    .findAttribute(Attributes.constantValue())
                    .map(a -> a.constant())
                    .orElse(null);
        }
    }

    /// If they were equal, the attributes would be indistinguishable.
    @Test
    void keysOfAttributesDiffer() {
        assertThat(Set.of(MPI.TAG_UB, MPI.HOST, MPI.IO)).hasSize(3);
    }
}
