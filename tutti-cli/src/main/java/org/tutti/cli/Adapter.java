package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// A tensor library that a program can be given by name: `--with torch`. Its jars are large, so they are no
/// part of the command; each adapter's module gathers its own.
enum Adapter {
    TORCH("torch", "torch", "lib", "org\\.bytedeco\\.pytorch|org\\.tutti\\.train\\.torch"),
    TORCH_CUDA("torch-cuda", "torch", "lib-cuda", "org\\.bytedeco\\.cuda"),
    DJL("djl", "djl", "lib", "ai\\.djl|org\\.tutti\\.train\\.djl");

    /// Libraries of that age call what the JDK warns of.
    static final String JVM_OPTION = "--sun-misc-unsafe-memory-access=allow";

    /// Takes libtorch with CUDA also where the launcher's machine has no driver: ranks may be elsewhere.
    static final String WITHOUT_DRIVER = "TUTTI_TORCH_CUDA";

    /// One of them is there with NVIDIA's driver, on Linux and on Windows' Linux. `./tutti` looks, too.
    private static final List<Path> DRIVER = List.of(Path.of("/proc/driver/nvidia/version"), Path.of("/dev/dxg"));

    private final String name;

    /// The end of the module's name, and where its jars are.
    private final String module, folder;

    /// Finds it in a source file.
    private final Pattern imported;

    Adapter(String name, String module, String folder, String packages) {
        this.name = name;
        this.module = module;
        this.folder = folder;
        imported = Pattern.compile("(?m)^\\s*import\\s+(static\\s+)?(" + packages + ")\\b");
    }

    /// The jars of the one that is named, as a class path; null for none.
    ///
    /// @throws UsageException if there is none of that name, it is not built, or two are named
    static @Nullable String classPath(List<String> names) {
        if (names.isEmpty()) return null;
        boolean hasDriver = DRIVER.stream().anyMatch(Files::exists)
                || !System.getenv().getOrDefault(WITHOUT_DRIVER, "").isEmpty();
        return chosen(names, hasDriver).jars();
    }

    /// As PyTorch with CUDA on a machine without: `torch.cuda_is_available()` is false, and the rest
    /// works.
    static Adapter chosen(List<String> names, boolean hasDriver) {
        List<Adapter> named = names.stream().map(Adapter::named).distinct().toList();
        if (named.size() > 1) {
            throw new UsageException(
                    "--with " + String.join(" --with ", names) + ": each brings a libtorch of its own; give one");
        }
        if (named.getFirst() != TORCH_CUDA || hasDriver) return named.getFirst();
        System.err.println("tutti: --with torch-cuda: this machine has no NVIDIA driver (" + DRIVER.getFirst()
                + "), so the CPU's torch is taken; " + WITHOUT_DRIVER + "=1 takes that with CUDA, for ranks elsewhere");
        return TORCH;
    }

    private static Adapter named(String name) {
        for (Adapter a : values()) if (a.name.equals(name)) return a;
        throw new UsageException("--with " + name
                + ": there are torch (libtorch, PyTorch's core), torch-cuda (the same for NVIDIA's GPUs)"
                + " and djl (Deep Java Library)");
    }

    private String jars() {
        String home = System.getProperty(ExamplesCommand.HOME, "");
        String module = "tutti-train-" + this.module;
        Path lib = Path.of(home, module, "target", folder);
        if (!Files.isDirectory(lib)) {
            throw new UsageException("--with " + name + ": there are no jars in " + lib.toAbsolutePath()
                    + "; in Tutti's source, ./mvnw -q -DskipTests " + (this == TORCH_CUDA ? "-Ptorch-cuda " : "")
                    + "-pl " + module
                    + " -am package brings them there");
        }
        return lib.resolve("*").toString();
    }

    /// @throws UsageException if a source file is given no class path, and imports one of them
    static void requireFor(String program) {
        if (!program.endsWith(".java")) return;
        String source;
        try {
            source = Files.readString(Path.of(program));
        } catch (IOException e) {
            return; // what is wrong with the file is said where it is compiled
        }
        for (Adapter a : values()) {
            var found = a.imported.matcher(source);
            if (found.find()) {
                throw new UsageException(program + " imports " + found.group(2) + ", which is not on its class path;"
                        + " add --with " + a.name);
            }
        }
    }
}
