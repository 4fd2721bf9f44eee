package org.tutti.launch.program;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.module.ModuleFinder;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// The options and class path of this JVM, for ranks that a program spawns.
public final class CurrentJvm {
    private CurrentJvm() {}

    private static final String COMMAND = "sun.java.command", SOURCE = ".java";

    /// The package of the JDK's launcher for `java File.java`.
    private static final String SOURCE_LAUNCHER = "com.sun.tools.javac.launcher.";

    /// Options that a program needs to run, or that configure it. Heap sizes, agents and debuggers are not
    /// inherited.
    private static final List<String> KEPT =
            List.of("-D", "-ea", "-da", "-esa", "-dsa", "-Xss", "--enable-preview", "--sun-misc-unsafe-memory-access");

    private static final List<String> OF_PACKAGES = List.of("--add-opens=", "--add-exports=");
    private static final String MODULES = "--add-modules=";

    /// Returns the options of this JVM that spawned ranks inherit; empty if the module java.management is
    /// missing.
    public static List<String> flags() {
        List<String> flags = new ArrayList<>();
        try {
            for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) add(option, flags);
        } catch (LinkageError e) {
            // a small run-time image
        }
        return flags;
    }

    /// In a rank, all classes outside the JDK are in the unnamed module.
    static void add(String option, List<String> flags) {
        for (String kept : KEPT) if (option.startsWith(kept)) flags.add(option);
        for (String kept : OF_PACKAGES) {
            int slash = option.indexOf('/'), target = option.lastIndexOf('=');
            if (!option.startsWith(kept) || slash < 0 || target < slash) continue;
            if (isOfTheJdk(option.substring(kept.length(), slash))) {
                flags.add(option.substring(0, target) + "=ALL-UNNAMED");
            }
        }
        if (!option.startsWith(MODULES)) return;
        List<String> modules = new ArrayList<>();
        for (String module : option.substring(MODULES.length()).split(",")) if (isOfTheJdk(module)) modules.add(module);
        if (!modules.isEmpty()) flags.add(MODULES + String.join(",", modules));
    }

    private static boolean isOfTheJdk(String module) {
        return ModuleFinder.ofSystem().find(module).isPresent();
    }

    /// Returns the class path and module path of this JVM, in this order, and the location of `type`.
    ///
    /// @throws UsageException if the location is not a file
    public static String classPath(Class<?> type, List<String> flags) {
        Set<String> entries = new LinkedHashSet<>();
        add(System.getProperty("java.class.path"), entries);
        for (String entry : split(System.getProperty("jdk.module.path"))) addModules(new File(entry), entries);
        add(place(type, flags), entries);
        return String.join(File.pathSeparator, entries);
    }

    private static List<String> split(@Nullable String path) {
        return path == null || path.isEmpty() ? List.of() : List.of(path.split(File.pathSeparator));
    }

    private static void add(@Nullable String path, Set<String> entries) {
        for (String entry : split(path)) entries.add(new File(entry).getAbsolutePath());
    }

    /// Adds a module, or the modules of a directory.
    private static void addModules(File entry, Set<String> entries) {
        File[] inside = entry.isFile() || new File(entry, "module-info.class").isFile() ? null : entry.listFiles();
        if (inside == null) {
            entries.add(entry.getAbsolutePath());
            return;
        }
        for (File file : inside) {
            if (file.getName().endsWith(".jar") || new File(file, "module-info.class").isFile()) {
                entries.add(file.getAbsolutePath());
            }
        }
    }

    /// Returns the class path from which a new JVM can load the class; empty for a class of the JDK.
    private static String place(Class<?> type, List<String> flags) {
        ClassLoader loader = type.getClassLoader();
        if (loader == null) return "";
        String file = type.getName().replace('.', '/') + ".class";
        URL url = type.getResource("/" + file);
        if (url == null) url = loader.getResource(file);
        try {
            if (loader.getClass().getName().startsWith(SOURCE_LAUNCHER)) return compiled(type, flags);
            if (url != null && url.getProtocol().equals("jrt")) return "";
            if (url != null && url.getProtocol().equals("file")) {
                String path = Path.of(url.toURI()).toString();
                if (path.endsWith(file)) return path.substring(0, path.length() - file.length() - 1);
            }
            if (url != null && url.openConnection() instanceof JarURLConnection jar) {
                URI where = jar.getJarFileURL().toURI();
                if ("file".equals(where.getScheme())) return Path.of(where).toString();
            }
        } catch (IOException | URISyntaxException e) {
            // reported below
        }
        throw new UsageException(
                "class " + type.getName() + " is not in a file from which another process could load it"
                        + (url == null ? "" : " (" + url + ")")
                        + "; put it into a directory or a jar on the class path, or start the ranks by tutti run");
    }

    /// Compiles the source file again into the cache of `tutti run`, because `java File.java` holds the classes
    /// only in memory.
    private static String compiled(Class<?> type, List<String> flags) {
        String command = System.getProperty(COMMAND, "");
        String words = command.substring(command.indexOf(' ') + 1); // the file, and the arguments
        for (int end = words.indexOf(SOURCE); end >= 0; end = words.indexOf(SOURCE, end + 1)) {
            Path source = Path.of(words.substring(0, end + SOURCE.length()));
            if (!Files.isRegularFile(source)) continue;
            ProgramSpec spec = new ProgramSpec(1, source.toString(), List.of(), null, flags);
            return SourceCache.program(spec, source.toAbsolutePath().normalize(), DeclaredLibraries.PRESENT)
                    .classPath();
        }
        throw new UsageException("class " + type.getName() + " was compiled in memory, and its source is not to be"
                + " found; compile it, or start the program by tutti run -n 1");
    }
}
