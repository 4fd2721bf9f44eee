package org.tutti.launch;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/// From what the user typed to what a rank can run: a source file, a jar, or a class on the class path.
final class Programs {
    private Programs() {}

    private static final String PYTHON = ".py";

    /// Whether it runs in a JVM. What does not is a Python program, or an executable file that is named
    /// with its directory: `./solver`.
    static boolean isJava(String program) {
        if (program.endsWith(PYTHON)) return false;
        if (program.endsWith(".java") || program.endsWith(".jar") || program.endsWith(".class")) return true;
        Path file = Path.of(program);
        return program.indexOf('/') < 0 || Files.isDirectory(file) || !Files.isExecutable(file);
    }

    /// @throws UsageException if there is nothing that a rank could run
    static Program resolve(ProgramSpec part) {
        String program = part.program();
        Path file = Path.of(program);
        if (!isJava(program)) return other(part, file);
        if (program.endsWith(".java")) {
            requireFile(file);
            return SourceCache.program(part, file.toAbsolutePath().normalize());
        }
        if (program.endsWith(".jar")) {
            requireFile(file);
            return jar(part, file.toAbsolutePath());
        }
        if (program.endsWith(".class") && Files.isRegularFile(file)) {
            throw new UsageException(
                    program + " is a class file; name the class and its class path, as in tutti run -cp "
                            + (file.getParent() == null ? "." : file.getParent()) + " "
                            + file.getFileName().toString().replace(".class", ""));
        }
        return mainClass(part, program.replace('/', '.'));
    }

    private static Program other(ProgramSpec part, Path file) {
        requireFile(file);
        String option = part.classPath() != null ? "-cp" : part.jvm().isEmpty() ? "" : "--jvm";
        if (!option.isEmpty()) {
            throw new UsageException(
                    option + " is for Java programs, and " + part.program() + " is none; leave it out");
        }
        String absolute = file.toAbsolutePath().normalize().toString();
        List<String> interpreter = part.program().endsWith(PYTHON) ? List.of("python3") : List.of();
        return new Program.Other(part, interpreter, absolute);
    }

    private static void requireFile(Path file) {
        if (Files.isDirectory(file)) throw new UsageException(directory(file));
        if (!Files.isRegularFile(file)) throw new UsageException("no file " + file + " here (" + here() + ")");
    }

    private static String directory(Path file) {
        return file
                + " is a directory; name a source file (Hello.java), a jar (app.jar), or a class with -cp <class path>";
    }

    /// Entries of `-cp` that are not there. Java says nothing of them, and a class is missed much later.
    static List<String> missing(ProgramSpec part) {
        List<String> missing = new ArrayList<>();
        String path = part.classPath();
        if (path == null) return missing;
        for (String entry : path.split(File.pathSeparator)) {
            boolean all = entry.equals("*") || entry.endsWith(File.separator + "*");
            File file = all ? new File(entry).getAbsoluteFile().getParentFile() : new File(entry);
            if (!entry.isEmpty() && !file.exists()) missing.add(entry);
        }
        return missing;
    }

    private static String here() {
        return Path.of("").toAbsolutePath().toString();
    }

    /// The class path of a program that was given `-cp`, or not: as Java chooses it, made absolute.
    private static String classPath(ProgramSpec part) {
        String path = part.classPath();
        if (path == null) path = System.getenv("CLASSPATH");
        return Jars.absolute(path == null || path.isEmpty() ? "." : path);
    }

    private static Program jar(ProgramSpec part, Path jar) {
        String name;
        try (JarFile file = new JarFile(jar.toFile())) {
            Manifest manifest = file.getManifest();
            name = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
        } catch (IOException e) {
            throw new UsageException(jar + " cannot be read as a jar: " + e.getMessage());
        }
        if (name == null) {
            throw new UsageException(
                    "the manifest of " + part.program() + " names no Main-Class; name the class yourself:"
                            + " tutti run -cp " + part.program() + " <main class>");
        }
        String path = jar.toString();
        if (part.classPath() != null) path += File.pathSeparator + classPath(part);
        check(name.strip(), path, part);
        return new Program.OfJava(part, name.strip(), path);
    }

    private static Program mainClass(ProgramSpec part, String name) {
        String path = classPath(part);
        check(name, path, part);
        return new Program.OfJava(part, name, path);
    }

    /// Looks at the class now, so that the user reads one sentence instead of one per rank.
    private static void check(String name, String classPath, ProgramSpec part) {
        try (URLClassLoader loader = new URLClassLoader(urls(classPath), Programs.class.getClassLoader())) {
            MainMethod.of(Class.forName(name, false, loader));
        } catch (ClassNotFoundException e) {
            throw new UsageException(notFound(name, classPath, part));
        } catch (LinkageError e) {
            if (e instanceof NoClassDefFoundError
                    && String.valueOf(e.getMessage()).contains("wrong name")) {
                throw new UsageException("class " + name + " cannot be loaded: " + e.getMessage());
            }
            // Something that it refers to is missing here; a rank will tell, if it matters.
        } catch (IOException e) {
            // from close: nothing is lost
        }
    }

    private static String notFound(String name, String classPath, ProgramSpec part) {
        String program = part.program();
        if (program.endsWith(".jar")) {
            return "the manifest of " + program + " says Main-Class " + name + ", but no such class was found";
        }
        if (Files.isDirectory(Path.of(program))) return directory(Path.of(program));
        String text = "no class " + name + " on the class path " + classPath;
        List<String> missing = missing(part);
        if (!missing.isEmpty()) return text + ", of which " + notThere(missing) + " not there";
        Path source = Path.of(name.replace('.', '/') + ".java");
        if (Files.isRegularFile(source)) return text + "; did you mean the source file " + source + "?";
        return text + "; name a source file (Hello.java), a jar (app.jar), or a class with -cp <class path>";
    }

    /// `a.jar and b are`, `a.jar is`.
    static String notThere(List<String> missing) {
        return String.join(" and ", missing) + (missing.size() == 1 ? " is" : " are");
    }

    /// As Java reads a class path: a directory, a jar, or all jars of a directory.
    static List<File> entries(String classPath) {
        List<File> entries = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            if (entry.equals("*") || entry.endsWith(File.separator + "*")) {
                File directory = new File(entry).getAbsoluteFile().getParentFile();
                File[] jars = directory.listFiles((dir, name) -> name.endsWith(".jar"));
                if (jars == null) continue;
                Arrays.sort(jars);
                entries.addAll(List.of(jars));
            } else {
                entries.add(new File(entry));
            }
        }
        return entries;
    }

    static URL[] urls(String classPath) {
        List<URL> urls = new ArrayList<>();
        try {
            for (File entry : entries(classPath)) urls.add(entry.toURI().toURL());
        } catch (MalformedURLException e) {
            throw new UsageException("-cp " + classPath + ": " + e.getMessage());
        }
        return urls.toArray(new URL[0]);
    }
}
