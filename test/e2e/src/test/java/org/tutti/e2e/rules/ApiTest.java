package org.tutti.e2e.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.e2e.job.Checkout;

/// `docs/api` lists the public API, with one file per module, so that it does not change unnoticed. After an
/// intended change, run the test with `-Dtutti.api.write=true`, which writes the files, and list the change in
/// CHANGELOG.md.
class ApiTest {
    private static final Path BASELINES = Checkout.ROOT.resolve("docs/api");
    private static final boolean WRITE = Boolean.getBoolean("tutti.api.write");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tutti-mpi",
                "tutti-device",
                "tutti-futures",
                "tutti-serve",
                "tutti-train",
                "tutti-train-device",
                "tutti-train-torch",
                "tutti-train-djl"
            })
    void isTheOneThatIsWrittenDown(String module) throws Exception {
        Path baseline = BASELINES.resolve(module + ".txt");
        List<String> now = api(module);
        if (WRITE) Files.write(baseline, now);
        List<String> then = Files.readAllLines(baseline);
        assertThat(without(then, now)).as("removed since %s", baseline).isEmpty();
        assertThat(without(now, then)).as("new, and not in %s", baseline).isEmpty();
    }

    /// No public method is inherited from a non-public class, because reflection cannot call such a method.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "tutti-mpi",
                "tutti-device",
                "tutti-futures",
                "tutti-serve",
                "tutti-train",
                "tutti-train-device",
                "tutti-train-torch",
                "tutti-train-djl"
            })
    void isThereForReflection(String module) throws Exception {
        assertThat(hidden(module)).isEmpty();
    }

    private static List<String> hidden(String module) throws Exception {
        List<String> hidden = new ArrayList<>();
        forEachType(
                module,
                type -> Stream.of(type.getMethods(), type.getFields())
                        .flatMap(Arrays::stream)
                        .filter(member -> isOurs(member.getDeclaringClass()) && !isPublic(member.getDeclaringClass()))
                        .forEach(member -> hidden.add(type.getName() + ": " + member)));
        return hidden;
    }

    private static List<String> without(List<String> all, List<String> removed) {
        List<String> left = new ArrayList<>(all);
        left.removeAll(removed);
        return left;
    }

    private static List<String> api(String module) throws Exception {
        TreeSet<String> lines = new TreeSet<>();
        forEachType(module, type -> describe(type, lines));
        return lines.stream()
                .map(line -> line.replaceAll("\\bjava\\.lang\\.(?=[A-Z])|\\borg\\.tutti\\.mpi\\.(?=[A-Z])", ""))
                .toList();
    }

    /// Applies `action` to the types of packages that a module exports to all modules.
    private static void forEachType(String module, Consumer<Class<?>> action) throws Exception {
        Path classes = Checkout.classes(module);
        try (URLClassLoader loader = new URLClassLoader(urls(), ClassLoader.getPlatformClassLoader())) {
            ModuleDescriptor descriptor =
                    ModuleFinder.of(classes).findAll().iterator().next().descriptor();
            for (ModuleDescriptor.Exports exported : descriptor.exports()) {
                if (exported.isQualified()) continue;
                for (String name : names(classes, exported.source())) {
                    Class<?> type = loader.loadClass(name);
                    if (isPublic(type)) action.accept(type);
                }
            }
        }
    }

    private static boolean isPublic(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return Modifier.isPublic(type.getModifiers()) && (outer == null || isPublic(outer));
    }

    /// Returns all modules and dependencies, including the tensor modules, which are not on the class path of
    /// these tests.
    private static URL[] urls() throws IOException {
        List<Path> paths = new ArrayList<>();
        for (String module : Checkout.modules()) {
            Path classes = Checkout.classes(module), libraries = classes.resolveSibling("lib");
            if (Files.isDirectory(classes)) paths.add(classes);
            if (!Files.isDirectory(libraries)) continue;
            try (Stream<Path> jars = Files.list(libraries)) {
                paths.addAll(jars.toList());
            }
        }
        for (String property : List.of("java.class.path", "jdk.module.path")) {
            Arrays.stream(System.getProperty(property, "").split(File.pathSeparator))
                    .filter(entry -> !entry.isEmpty())
                    .forEach(entry -> paths.add(Path.of(entry)));
        }
        URL[] urls = new URL[paths.size()];
        for (int i = 0; i < urls.length; i++) urls[i] = paths.get(i).toUri().toURL();
        return urls;
    }

    private static List<String> names(Path classes, String packageName) throws IOException {
        try (Stream<Path> files = Files.list(classes.resolve(packageName.replace('.', '/')))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
                    .map(file -> packageName + "." + file.substring(0, file.length() - ".class".length()))
                    .toList();
        }
    }

    private static void describe(Class<?> type, TreeSet<String> lines) {
        String name = type.getName();
        List<Type> parents = new ArrayList<>(List.of(type.getGenericInterfaces()));
        if (type.getGenericSuperclass() != null) parents.addFirst(type.getGenericSuperclass());
        lines.add(name + ": " + type.toGenericString() + " of "
                + parents.stream().map(Type::getTypeName).collect(Collectors.joining(", ")));
        Stream.of(type.getConstructors(), type.getMethods(), type.getFields())
                .flatMap(Arrays::stream)
                .filter(member -> member.getDeclaringClass() == type && !isSynthetic(member))
                .forEach(member -> lines.add(name + ": " + text(member)));
        // bridges to methods of a hidden superclass lack the source's types
        for (Class<?> hidden = type.getSuperclass();
                hidden != null && isOurs(hidden) && !isPublic(hidden);
                hidden = hidden.getSuperclass()) {
            Arrays.stream(hidden.getDeclaredMethods())
                    .filter(method -> Modifier.isPublic(method.getModifiers()) && !isSynthetic(method))
                    .forEach(method -> lines.add(name + ": " + text(method)));
        }
        for (Method method : type.getDeclaredMethods()) {
            if (!Modifier.isFinal(type.getModifiers()) && Modifier.isProtected(method.getModifiers()))
                lines.add(name + ": " + text(method));
        }
    }

    private static boolean isOurs(Class<?> type) {
        return type.getName().startsWith("org.tutti.");
    }

    private static boolean isSynthetic(Member member) {
        return member.isSynthetic() || member instanceof Method method && method.isBridge();
    }

    private static String text(Member member) {
        String text = member instanceof Executable e ? e.toGenericString() : ((Field) member).toGenericString();
        String owner = Pattern.quote(member.getDeclaringClass().getTypeName() + ".");
        return text.replaceFirst(owner + "(?=" + Pattern.quote(member.getName()) + "\\b)", "")
                .replaceAll("\\b(final|synchronized|native|transient|volatile) ", "");
    }
}
