package org.tutti.device.gpu;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.tutti.device.cuda.CudaPlatform;
import org.tutti.device.hip.HipPlatform;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.spi.DeviceFault;

/// The vendors' compilers, which need no device, in a separate process: a process that loads two libraries with
/// an LLVM each, such as HIPRTC and PoCL, is terminated.
///
///     RealCompiler KIND ARCHITECTURE DIRECTORY OPTION …     compiles each file N.cu to N.bin, or its log to N.log
public final class RealCompiler {
    private static final int NO_COMPILER = 3;

    private RealCompiler() {}

    public static void main(String[] args) throws IOException {
        GpuPlatform platform = args[0].equals("cuda") ? new CudaPlatform() : new HipPlatform();
        RuntimeCompiler compiler;
        try {
            compiler = RuntimeCompiler.load(platform, DynamicLibrary::find);
        } catch (DeviceFault e) {
            System.out.println(e.getMessage());
            System.exit(NO_COMPILER);
            return;
        }
        System.out.println(compiler);
        List<String> options = List.of(args).subList(3, args.length);
        for (int i = 0; Files.exists(Path.of(args[2], i + ".cu")); i++) {
            String source = Files.readString(Path.of(args[2], i + ".cu"));
            try {
                Files.write(Path.of(args[2], i + ".bin"), compiler.compile(source, options, args[1]));
            } catch (DeviceFault e) {
                Files.writeString(Path.of(args[2], i + ".log"), e.reason() + ": " + e.getMessage());
            }
        }
    }

    /// Compiles sources. Returns one binary per source, or throws the compiler's failure for the first invalid
    /// source. Skips the test, with the reason, if the compiler is not installed.
    public static List<byte[]> compile(String kind, List<String> sources, String architecture, String... options) {
        try {
            Path directory = Files.createTempDirectory("kernels");
            try {
                return compile(directory, kind, sources, architecture, options);
            } finally {
                try (Stream<Path> files = Files.list(directory)) {
                    for (Path file : files.toList()) Files.delete(file);
                }
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<byte[]> compile(
            Path directory, String kind, List<String> sources, String architecture, String... options)
            throws IOException {
        for (int i = 0; i < sources.size(); i++) Files.writeString(directory.resolve(i + ".cu"), sources.get(i));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xss64m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                RealCompiler.class.getName(),
                kind,
                architecture,
                directory.toString()));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.onExit().join().exitValue();
        assumeTrue(code != NO_COMPILER, "skipped: " + output);
        if (code != 0) throw new AssertionError("the compiler's process ended with " + code + "\n" + output);
        List<byte[]> binaries = new ArrayList<>();
        for (int i = 0; i < sources.size(); i++) {
            Path log = directory.resolve(i + ".log");
            if (Files.exists(log)) throw new IllegalArgumentException(Files.readString(log));
            binaries.add(Files.readAllBytes(directory.resolve(i + ".bin")));
        }
        return binaries;
    }

    /// Returns the class path and module path of this JVM.
    public static String classPath() {
        List<String> places = new ArrayList<>();
        for (Class<?> one : List.of(RealCompiler.class, RuntimeCompiler.class, DynamicLibrary.class)) {
            places.add(Path.of(one.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .getPath())
                    .toString());
        }
        places.add(System.getProperty("jdk.module.path", ""));
        places.add(System.getProperty("java.class.path", ""));
        Path main = Path.of(places.get(1));
        places.add(main.resolveSibling("test-classes").toString());
        return String.join(File.pathSeparator, places);
    }
}
