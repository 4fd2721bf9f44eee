package org.tutti.launch.program;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.module.ModuleFinder;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;
import org.tutti.launch.machine.JavaCommand;

/// The options and classes of this JVM, for ranks that a program starts.
public final class CurrentJvm {
    private CurrentJvm() {}

    /// The maximum size of an argument on Linux, MAX_ARG_STRLEN, without the final zero.
    private static final int MOST_BYTES = (128 << 10) - 1;

    private static final String COMMAND = "sun.java.command", SOURCE = ".java";

    /// The package of the JDK's launcher for `java File.java`.
    private static final String SOURCE_LAUNCHER = "com.sun.tools.javac.launcher.";

    /// Options that a program needs to run, or that configure it. Heap sizes, agents and debuggers are not
    /// inherited.
    private static final List<String> KEPT =
            List.of("-D", "-ea", "-da", "-esa", "-dsa", "-Xss", "--enable-preview", "--sun-misc-unsafe-memory-access");

    private static final List<String> OF_PACKAGES = List.of("--add-opens=", "--add-exports=");
    private static final String MODULES = "--add-modules=";

    /// The prefix of modules that are loaded only if named by an option or required by a module.
    private static final String INCUBATOR = "jdk.incubator.";

    /// Options for this process only, for example a port, and the main module, which does not exist on a class
    /// path.
    private static final List<String> NOT_KEPT = List.of("-Dcom.sun.management.", "-Djdk.module.");

    /// The index file of a Quarkus application, relative to the directory of the jar that starts the application.
    private static final String QUARKUS = "quarkus/quarkus-application.dat";

    /// The directories that contain the jars of a Quarkus application, relative to the same directory.
    private static final List<String> OF_QUARKUS = List.of("app", "quarkus", "lib/main", "lib/boot");

    /// Returns the options of this JVM that spawned ranks inherit, and an option that adds the incubator modules
    /// of this JVM. Only the latter if the module java.management is missing.
    public static List<String> flags() {
        List<String> flags = new ArrayList<>();
        try {
            for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) add(option, flags);
        } catch (LinkageError e) {
            // a small run-time image
        }
        // a rank loads the application's modules from a class path, so their requirements have no effect there
        String modules = ModuleLayer.boot().modules().stream()
                .map(Module::getName)
                .filter(name -> name.startsWith(INCUBATOR))
                .sorted()
                .collect(Collectors.joining(","));
        if (!modules.isEmpty()) flags.add(MODULES + modules);
        return flags;
    }

    /// Adds the option to `flags` if ranks inherit it. An option that exports or opens a package to a module
    /// gets the unnamed module as the target, because in a rank all classes outside the JDK are in the unnamed
    /// module.
    static void add(String option, List<String> flags) {
        if (NOT_KEPT.stream().noneMatch(option::startsWith)) {
            for (String kept : KEPT) if (option.startsWith(kept)) flags.add(option);
        }
        for (String kept : OF_PACKAGES) {
            int slash = option.indexOf('/'), target = option.lastIndexOf('=');
            if (!option.startsWith(kept) || slash < 0 || target < slash) continue;
            if (isOfTheJdk(option.substring(kept.length(), slash))) {
                flags.add(option.substring(0, target) + "=ALL-UNNAMED");
            }
        }
        if (!option.startsWith(MODULES)) return;
        List<String> modules = new ArrayList<>();
        for (String module : option.substring(MODULES.length()).split(",")) {
            if (isOfTheJdk(module) && !module.startsWith(INCUBATOR)) modules.add(module);
        }
        if (!modules.isEmpty()) flags.add(MODULES + String.join(",", modules));
    }

    private static boolean isOfTheJdk(String module) {
        return ModuleFinder.ofSystem().find(module).isPresent();
    }

    /// Returns the classes of this JVM: the class path, then the module path, then the jars of a Quarkus
    /// application, then the files of the class loaders of `type` and of Tutti. For a Boot jar, returns only the
    /// jar.
    ///
    /// @throws UsageException if a separate process cannot load these classes, or this JVM has no `java` command
    public static ProgramClasses classes(Class<?> type, List<String> flags) {
        if (!Files.isExecutable(Path.of(JavaCommand.path()))) {
            throw new UsageException("no " + JavaCommand.path() + ", with which ranks could be started: the run-time"
                    + " image of this program was built without commands; build it with them (jlink and jpackage:"
                    + " leave out --strip-native-commands), or run the ranks as threads");
        }
        String classPath = System.getProperty("java.class.path", "");
        BootJar boot = BootJar.on(classPath);
        if (boot != null) {
            requireTuttisLoader(type);
            return boot.classes(new File(classPath).getAbsolutePath());
        }
        Set<String> entries = paths();
        boolean isQuarkus = addQuarkus(classPath, entries);
        addLoaders(type.getClassLoader(), entries);
        if (!isQuarkus && !addLoaders(CurrentJvm.class.getClassLoader(), entries)) {
            throw new UsageException(
                    unknownLoader(CurrentJvm.class) + "; put Tutti's jars on the class path of the JVM");
        }
        add(place(type, flags), entries);
        String all = String.join(File.pathSeparator, entries);
        int bytes = all.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MOST_BYTES) {
            throw new UsageException("the class path has " + bytes
                    + " bytes, and a process can be started with at most "
                    + MOST_BYTES + "; put the entries into a jar whose manifest has a Class-Path, and start the program"
                    + " with this jar");
        }
        return onPath(all);
    }

    /// Returns the class path and the modules of the module path, in this order, as a class path with absolute
    /// entries.
    public static String classPath() {
        return String.join(File.pathSeparator, paths());
    }

    private static Set<String> paths() {
        Set<String> entries = new LinkedHashSet<>();
        add(System.getProperty("java.class.path", ""), entries);
        for (String entry : split(System.getProperty("jdk.module.path"))) addModules(new File(entry), entries);
        return entries;
    }

    /// Requires that the class loader of Tutti's classes in a Boot jar can also load this class.
    private static void requireTuttisLoader(Class<?> type) {
        ClassLoader loader = CurrentJvm.class.getClassLoader();
        for (ClassLoader l = loader; l != null; l = l.getParent()) if (l == type.getClassLoader()) return;
        throw new UsageException(unknownLoader(type) + "; put the class into the application's jar");
    }

    private static String unknownLoader(Class<?> type) {
        return "class " + type.getName() + " comes from a class loader that other processes do not have ("
                + type.getClassLoader().getClass().getName() + ")";
    }

    /// Adds the jars of a Quarkus application, which Quarkus loads by an index file.
    private static boolean addQuarkus(String classPath, Set<String> entries) {
        Path directory = Path.of(classPath).toAbsolutePath().getParent();
        if (directory == null || !Files.isRegularFile(directory.resolve(QUARKUS))) return false;
        for (String folder : OF_QUARKUS) {
            File[] jars = directory.resolve(folder).toFile().listFiles((_, name) -> name.endsWith(".jar"));
            if (jars == null) continue;
            Arrays.sort(jars);
            for (File jar : jars) entries.add(jar.getPath());
        }
        return true;
    }

    /// Adds the files of the class loaders up to the system class loader. Returns whether the files contain all
    /// classes of these loaders.
    private static boolean addLoaders(@Nullable ClassLoader first, Set<String> entries) {
        ClassLoader system = ClassLoader.getSystemClassLoader();
        boolean all = true;
        for (ClassLoader l = first; l != null && l != system && l != system.getParent(); l = l.getParent()) {
            all &= l instanceof URLClassLoader;
            if (!(l instanceof URLClassLoader urls)) continue;
            for (URL url : urls.getURLs()) {
                if (!url.getProtocol().equals("file")) all = false;
                else entries.add(new File(URI.create(url.toString())).getPath());
            }
        }
        return all;
    }

    /// Returns classes on this class path; Tutti's classes may be in the run-time image instead.
    public static ProgramClasses onPath(String classPath) {
        String module = CurrentJvm.class.getModule().getName();
        return new ProgramClasses(classPath, null, module != null && isOfTheJdk(module));
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

    /// Returns the class path from which a new JVM can load the class; empty for a class of the JDK or of this
    /// run-time image.
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
                    .classes()
                    .classPath();
        }
        throw new UsageException("class " + type.getName() + " was compiled in memory, and its source is not to be"
                + " found; compile it, or start the program by tutti run -n 1");
    }
}
