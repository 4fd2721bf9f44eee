package org.tutti.launch;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/// From what the user typed to what a rank can run: a source file, a jar, or a class on the class path.
final class Programs {
    private Programs() {}

    static Program resolve(Run run) {
        String program = run.program();
        Path file = Path.of(program);
        if (program.endsWith(".java")) {
            if (!Files.isRegularFile(file)) throw new UsageException("no file " + program + " here (" + here() + ")");
            return SourceCache.program(run, file.toAbsolutePath().normalize());
        }
        if (program.endsWith(".jar")) {
            if (!Files.isRegularFile(file)) throw new UsageException("no file " + program + " here (" + here() + ")");
            return jar(run, file.toAbsolutePath());
        }
        return mainClass(run, program.replace('/', '.'));
    }

    private static String here() {
        return Path.of("").toAbsolutePath().toString();
    }

    /// The class path of a program that was given `-cp`, or not: as Java chooses it, made absolute.
    private static String classPath(Run run) {
        String path = run.classPath();
        if (path == null) path = System.getenv("CLASSPATH");
        return Jars.absolute(path == null || path.isEmpty() ? "." : path);
    }

    private static Program jar(Run run, Path jar) {
        String name;
        try (JarFile file = new JarFile(jar.toFile())) {
            Manifest manifest = file.getManifest();
            name = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
        } catch (IOException e) {
            throw new UsageException(jar + " cannot be read as a jar: " + e.getMessage());
        }
        if (name == null) {
            throw new UsageException(
                    "the manifest of " + run.program() + " names no Main-Class; name the class yourself:"
                            + " tutti run -cp " + run.program() + " <main class>");
        }
        String path = jar.toString();
        if (run.classPath() != null) path += File.pathSeparator + classPath(run);
        check(name.strip(), path, run.program());
        return new Program(name.strip(), path);
    }

    private static Program mainClass(Run run, String name) {
        String path = classPath(run);
        check(name, path, null);
        return new Program(name, path);
    }

    /// Looks at the class now, so that the user reads one sentence instead of one per rank.
    private static void check(String name, String classPath, @Nullable String jar) {
        try (URLClassLoader loader = new URLClassLoader(urls(classPath), Programs.class.getClassLoader())) {
            MainMethod.of(Class.forName(name, false, loader));
        } catch (ClassNotFoundException e) {
            throw new UsageException(notFound(name, classPath, jar));
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

    private static String notFound(String name, String classPath, @Nullable String jar) {
        if (jar != null) return "the manifest of " + jar + " says Main-Class " + name + ", but no such class was found";
        String text = "no class " + name + " on the class path " + classPath;
        Path source = Path.of(name.replace('.', '/') + ".java");
        if (Files.isRegularFile(source)) return text + "; did you mean the source file " + source + "?";
        return text + "; name a source file (Hello.java), a jar (app.jar), or a class with -cp <class path>";
    }

    /// As Java reads a class path: a directory, a jar, or all jars of a directory.
    static URL[] urls(String classPath) {
        List<URL> urls = new ArrayList<>();
        try {
            for (String entry : classPath.split(File.pathSeparator)) {
                if (entry.endsWith(File.separator + "*")) {
                    File[] jars = new File(entry).getParentFile().listFiles((dir, name) -> name.endsWith(".jar"));
                    if (jars != null) for (File jar : jars) urls.add(jar.toURI().toURL());
                } else {
                    urls.add(new File(entry).toURI().toURL());
                }
            }
        } catch (MalformedURLException e) {
            throw new UsageException("-cp " + classPath + ": " + e.getMessage());
        }
        return urls.toArray(new URL[0]);
    }
}
