package org.tutti.launch.program;

import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.JobText;
import org.tutti.launch.UsageException;

/// Converts the user's specification of a program to a program that a rank can run. The user may specify a source
/// file, a jar, a class on the class path, or a program in a different language.
public final class Programs {
    private static final String FORMS =
            "name a source file (Hello.java), a jar (app.jar), or a class with -cp <class path>";

    private Programs() {}

    /// @throws UsageException if no program can be run
    public static Program resolve(ProgramSpec spec) {
        String program = spec.program();
        Path file = Path.of(program);
        if (!spec.isJava()) return other(spec, file);
        if (program.endsWith(".java")) {
            requireFile(file);
            return SourceCache.program(spec, file.toAbsolutePath().normalize(), DeclaredLibraries.DOWNLOADED);
        }
        if (program.endsWith(".jar")) {
            requireFile(file);
            return jar(spec, file.toAbsolutePath());
        }
        if (program.endsWith(".class") && Files.isRegularFile(file)) {
            throw new UsageException(
                    program + " is a class file; name the class and its class path, as in tutti run -cp "
                            + (file.getParent() == null ? "." : file.getParent()) + " "
                            + file.getFileName().toString().replace(".class", ""));
        }
        return mainClass(spec, program.replace('/', '.'));
    }

    private static Program other(ProgramSpec spec, Path file) {
        requireFile(file);
        String option = spec.classPath() != null ? "-cp" : spec.jvm().isEmpty() ? "" : "--jvm";
        if (!option.isEmpty()) {
            throw new UsageException(
                    option + " is for Java programs, which " + spec.program() + " is not; leave it out");
        }
        String absolute = file.toAbsolutePath().normalize().toString();
        List<String> interpreter = spec.program().endsWith(ProgramSpec.PYTHON) ? List.of("python3") : List.of();
        return new Program.Other(spec, interpreter, absolute);
    }

    private static void requireFile(Path file) {
        if (Files.isDirectory(file)) throw new UsageException(directory(file));
        if (!Files.isRegularFile(file)) {
            throw new ProgramNotFoundException(file.toString(), "no file " + file + " here (" + here() + ")");
        }
    }

    private static String directory(Path file) {
        List<Path> programs = SourcePrograms.in(file);
        if (programs.size() == 1)
            return file + " is a directory; did you mean the source file " + programs.getFirst() + "?";
        return file + " is a directory; " + FORMS;
    }

    private static String here() {
        return Path.of("").toAbsolutePath().toString();
    }

    /// Returns the absolute class path of a program. As in Java, this is `-cp`, otherwise `CLASSPATH`,
    /// otherwise the working directory.
    private static String classPath(ProgramSpec spec) {
        String path = spec.classPath();
        if (path == null) path = System.getenv("CLASSPATH");
        return ClassPath.absolute(path == null || path.isEmpty() ? "." : path);
    }

    private static Program jar(ProgramSpec spec, Path jar) {
        String name;
        BootJar boot;
        try (JarFile file = new JarFile(jar.toFile())) {
            boot = BootJar.of(file);
            Manifest manifest = file.getManifest();
            name = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
        } catch (IOException e) {
            throw new UsageException(jar + " cannot be read as a jar: " + JobText.reason(e));
        }
        if (name == null) {
            throw new UsageException(
                    "the manifest of " + spec.program() + " names no Main-Class; name the class yourself:"
                            + " tutti run -cp " + spec.program() + " <main class>");
        }
        String path = ClassPath.ofJar(jar.toString(), spec.classPath() == null ? null : classPath(spec));
        if (boot != null) return new Program.OfJava(spec, boot.startClass(), boot.classes(path));
        check(name.strip(), path, spec);
        return new Program.OfJava(spec, name.strip(), ProgramClasses.onPath(path));
    }

    private static Program mainClass(ProgramSpec spec, String name) {
        String path = classPath(spec);
        check(name, path, spec);
        return new Program.OfJava(spec, name, ProgramClasses.onPath(path));
    }

    /// Checks the class before the start, so that an error is printed once and not by every rank.
    private static void check(String name, String classPath, ProgramSpec spec) {
        try (URLClassLoader loader = new URLClassLoader(ClassPath.urls(classPath), Programs.class.getClassLoader())) {
            MainMethod.of(Class.forName(name, false, loader));
        } catch (ClassNotFoundException e) {
            throw notFound(name, classPath, spec);
        } catch (LinkageError e) {
            if (e instanceof NoClassDefFoundError
                    && String.valueOf(e.getMessage()).contains("wrong name")) {
                throw new UsageException("class " + name + " cannot be loaded: " + e.getMessage());
            }
            // A referenced class is missing here. If this matters, a rank reports it.
        } catch (IOException e) {
            // thrown by close: no data is lost
        }
    }

    private static UsageException notFound(String name, String classPath, ProgramSpec spec) {
        String program = spec.program();
        if (program.endsWith(".jar")) {
            return new UsageException(
                    "the manifest of " + program + " has Main-Class " + name + ", but no such class was found");
        }
        Path file = Path.of(program);
        if (Files.isDirectory(file)) return new UsageException(directory(file));
        if (Files.isRegularFile(file)) {
            String command = commandOfOtherLanguage(program);
            if (command != null) return new UsageException(program + " " + command + "; see docs/languages.md");
        }
        String text = "no class " + name + " on the class path " + classPath;
        List<String> missing = ClassPath.missing(spec.classPath());
        if (!missing.isEmpty())
            return new UsageException(text + ", of which " + ClassPath.notThere(missing) + " not there");
        Path source = Path.of(name.replace('.', '/') + ".java");
        if (Files.isRegularFile(source)) {
            return new UsageException(text + "; did you mean the source file " + source + "?");
        }
        return new ProgramNotFoundException(program, text + "; " + FORMS);
    }

    /// Returns how to run a source file in a language with a separate compiler or main class; null for other
    /// files.
    private static @Nullable String commandOfOtherLanguage(String file) {
        String name = file.substring(file.lastIndexOf('/') + 1), stem = name.substring(0, name.lastIndexOf('.') + 1);
        if (stem.length() < 2) return null;
        stem = stem.substring(0, stem.length() - 1);
        return switch (name.substring(stem.length())) {
            case ".kt" ->
                "is Kotlin, which tutti run does not compile; compile it first, and run the class: tutti run -cp "
                        + stem + ".jar " + Character.toUpperCase(stem.charAt(0)) + stem.substring(1) + "Kt";
            case ".scala" ->
                "is Scala, which tutti run does not compile; compile it first, and run the class: tutti run -cp " + stem
                        + ".jar <main class>";
            case ".clj" ->
                "is Clojure; run it with the class clojure.main: tutti run -cp <libraries> clojure.main " + file;
            default -> null;
        };
    }
}
