package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.ProcessOutcome;

/// The application in `src/test/projects/application`, packaged in one of the common forms.
enum PackagedApplication {
    /// `java -cp` with a directory of classes and the jars of Tutti.
    PLAIN {
        @Override
        List<String> build(Path where) {
            return List.of(NATIVE_ACCESS, "-cp", CLASSES + ":" + Checkout.classPathText(), MAIN);
        }
    },
    /// `java -p … -m`: the application and Tutti as modules.
    MODULE_PATH {
        @Override
        List<String> build(Path where) {
            String access = "--enable-native-access=org.tutti.os.linux,org.tutti.libmpi";
            return List.of(access, "-p", modulePath(), "-m", "demo/" + MAIN);
        }
    },
    /// One jar with all classes. The service files are not merged: of files with one name, the first is used.
    FAT_JAR {
        @Override
        List<String> build(Path where) throws IOException {
            Map<String, byte[]> all = new TreeMap<>();
            for (Path from : parts()) content(from).forEach(all::putIfAbsent);
            Path jar = where.resolve("app.jar");
            write(jar, manifest(Map.of("Main-Class", MAIN)), all, false);
            return List.of("-jar", jar.toString());
        }
    },
    /// An executable jar of Spring Boot, which contains the other jars.
    BOOT_JAR {
        @Override
        List<String> build(Path where) throws IOException {
            Path jar = where.resolve("boot.jar");
            bootJar(jar, _ -> true);
            return List.of("-jar", jar.toString());
        }
    },
    /// A jar with a class path in the manifest.
    JAR_WITH_CLASS_PATH {
        @Override
        List<String> build(Path where) throws IOException {
            List<String> paths = new ArrayList<>();
            Path lib = Files.createDirectories(where.resolve("lib"));
            for (Map.Entry<String, byte[]> library : libraries().entrySet()) {
                Files.write(lib.resolve(library.getKey()), library.getValue());
                paths.add("lib/" + library.getKey());
            }
            Path jar = where.resolve("app.jar");
            Manifest manifest = manifest(Map.of("Main-Class", MAIN, "Class-Path", String.join(" ", paths)));
            write(jar, manifest, content(CLASSES), false);
            return List.of("-jar", jar.toString());
        }
    },
    /// A run-time image that contains the application as a module.
    IMAGE {
        @Override
        List<String> build(Path where) throws IOException {
            Path image = where.resolve("image");
            image(image);
            return List.of("-m", "demo/" + MAIN);
        }

        @Override
        String java(Path where) {
            return where.resolve("image/bin/java").toString();
        }
    };

    static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";
    private static final String MAIN = "demo.Application";
    private static final String BOOT = "org.springframework.boot.loader.launch.";
    private static final List<String> MODULES = List.of(
            "tutti-job",
            "tutti-os-linux",
            "tutti-spi",
            "tutti-mpi",
            "tutti-coll",
            "tutti-shm",
            "tutti-libmpi",
            "tutti-inspect",
            "tutti-launch",
            "tutti-futures");

    private static final Path CLASSES = compiled(false);

    /// Creates the files. Returns the arguments of `java`, except for the arguments of the application.
    abstract List<String> build(Path where) throws IOException;

    String java(Path where) {
        return Checkout.java();
    }

    private static Path compiled(boolean asModule) {
        return compiled("application", "demo/Application.java", asModule);
    }

    private static Path compiled(String project, String source, boolean asModule) {
        Path to = Checkout.scratch(project);
        Path from = Checkout.module("tutti-e2e").resolve("src/test/projects").resolve(project);
        List<String> arguments = new ArrayList<>(List.of("-d", to.toString()));
        arguments.addAll(List.of(asModule ? "-p" : "-cp", Checkout.classPathText()));
        if (asModule) arguments.add(from.resolve("module-info.java").toString());
        arguments.add(from.resolve(source).toString());
        int code = ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(System.out, System.err, arguments.toArray(String[]::new));
        assertThat(code).isZero();
        return to;
    }

    /// Creates the run-time image in a separate process: jlink does not run in a JVM with patched modules, such
    /// as the JVM of surefire.
    private static void image(Path where) {
        List<String> arguments = new ArrayList<>(
                List.of(Path.of(Checkout.java()).resolveSibling("jlink").toString()));
        arguments.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-p", modulePath()));
        arguments.addAll(List.of("--add-modules", "demo,org.tutti.launch,org.tutti.shm,org.tutti.libmpi"));
        arguments.addAll(List.of("--add-modules", "org.tutti.inspect,org.tutti.os.linux"));
        arguments.add("--add-options=--enable-native-access=org.tutti.os.linux,org.tutti.libmpi");
        arguments.addAll(List.of("--output", where.toString()));
        try {
            ProcessOutcome outcome = Command.of(arguments).run();
            assertThat(outcome.code()).as("%s", outcome).isZero();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Returns a module path with the application and the modules of Tutti that it needs.
    private static String modulePath() {
        return modulePath(compiled(true));
    }

    private static String modulePath(Path application) {
        List<String> path = new ArrayList<>(List.of(application.toString()));
        parts().stream().filter(part -> !part.equals(CLASSES)).forEach(part -> path.add(part.toString()));
        return String.join(File.pathSeparator, path);
    }

    /// Returns the arguments of `java` for the module in `src/test/projects/incubator`.
    static List<String> incubator() {
        String path = modulePath(compiled("incubator", "lanes/Lanes.java", true));
        return List.of("--enable-native-access=org.tutti.os.linux", "-p", path, "-m", "lanes/lanes.Lanes");
    }

    /// Creates an executable jar of Spring Boot.
    ///
    /// @param loader selects the classes of the loader
    static void bootJar(Path jar, Predicate<String> loader) throws IOException {
        Map<String, byte[]> all = new TreeMap<>();
        Path boot = Checkout.EXTRA_CLASS_PATH.stream()
                .filter(entry -> entry.contains("spring-boot-loader"))
                .map(Path::of)
                .findFirst()
                .orElseThrow();
        content(boot).forEach((name, bytes) -> {
            if (name.startsWith("org/") && loader.test(name)) all.put(name, bytes);
        });
        content(CLASSES).forEach((name, bytes) -> all.put("BOOT-INF/classes/" + name, bytes));
        libraries().forEach((name, bytes) -> all.put("BOOT-INF/lib/" + name, bytes));
        Manifest manifest = manifest(Map.of(
                "Main-Class",
                BOOT + "JarLauncher",
                "Start-Class",
                MAIN,
                "Spring-Boot-Classes",
                "BOOT-INF/classes/",
                "Spring-Boot-Lib",
                "BOOT-INF/lib/"));
        // the loader recognizes a directory only by an entry
        for (String name : List.of("BOOT-INF/", "BOOT-INF/classes/", "BOOT-INF/lib/")) all.put(name, new byte[0]);
        write(jar, manifest, all, true);
    }

    /// Returns the classes of the application and the modules of Tutti that it needs.
    static List<Path> parts() {
        List<Path> parts = new ArrayList<>(List.of(CLASSES));
        for (String entry : Checkout.CLASS_PATH) {
            boolean isPart = MODULES.stream().anyMatch(m -> Path.of(entry).startsWith(Checkout.module(m)));
            if (isPart) parts.add(Path.of(entry));
        }
        assertThat(parts).hasSize(MODULES.size() + 1);
        return parts;
    }

    /// Returns the jars of Tutti, by file name.
    private static Map<String, byte[]> libraries() throws IOException {
        Map<String, byte[]> libraries = new TreeMap<>();
        List<Path> parts = parts();
        for (int i = 0; i < MODULES.size(); i++) {
            ByteArrayOutputStream jar = new ByteArrayOutputStream();
            write(jar, new Manifest(), content(parts.get(i + 1)), false);
            libraries.put("tutti-" + i + ".jar", jar.toByteArray());
        }
        return libraries;
    }

    /// Returns the files of a jar or a directory, without the manifest.
    static Map<String, byte[]> content(Path jarOrDirectory) throws IOException {
        if (Files.isDirectory(jarOrDirectory)) return files(jarOrDirectory);
        try (FileSystem jar = FileSystems.newFileSystem(jarOrDirectory)) {
            return files(jar.getPath("/"));
        }
    }

    private static Map<String, byte[]> files(Path root) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = root.relativize(file).toString();
                if (!name.equals("META-INF/MANIFEST.MF") && !name.equals("module-info.class")) {
                    files.put(name, Files.readAllBytes(file));
                }
            }
        }
        return files;
    }

    static Manifest manifest(Map<String, String> attributes) {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Enable-Native-Access", "ALL-UNNAMED");
        attributes.forEach(main::putValue);
        return manifest;
    }

    static void write(Path jar, Manifest manifest, Map<String, byte[]> files, boolean isStored) throws IOException {
        try (OutputStream out = Files.newOutputStream(jar)) {
            write(out, manifest, files, isStored);
        }
    }

    private static void write(OutputStream to, Manifest manifest, Map<String, byte[]> files, boolean isStored)
            throws IOException {
        try (JarOutputStream jar = new JarOutputStream(to, manifest)) {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                ZipEntry entry = new ZipEntry(file.getKey());
                if (isStored) { // Spring Boot requires nested jars to be uncompressed
                    CRC32 crc = new CRC32();
                    crc.update(file.getValue());
                    entry.setMethod(ZipEntry.STORED);
                    entry.setSize(file.getValue().length);
                    entry.setCrc(crc.getValue());
                }
                jar.putNextEntry(entry);
                jar.write(file.getValue());
            }
        }
    }
}
