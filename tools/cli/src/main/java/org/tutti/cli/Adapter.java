package org.tutti.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// What a program can be given by name: a tensor library (`--with torch`), or the package `mpi` of an older API
/// (`--with openmpi-java`). They are no part of the command; each one's module gathers its own jars.
enum Adapter {
    TORCH("torch", "train/train-torch", "lib", "org\\.bytedeco\\.pytorch|org\\.tutti\\.train\\.torch"),
    TORCH_CUDA("torch-cuda", "train/train-torch", "lib-cuda", "org\\.bytedeco\\.cuda"),
    DJL("djl", "train/train-djl", "lib", "ai\\.djl|org\\.tutti\\.train\\.djl"),
    OPENMPI_JAVA("openmpi-java", "compat/compat-openmpi", "lib", null),
    MPJ("mpj", "compat/compat-mpj", "lib", null);

    /// Libraries of that age call what the JDK warns of.
    static final String JVM_OPTION = "--sun-misc-unsafe-memory-access=allow";

    /// Takes libtorch with CUDA also where the launcher's machine has no driver: ranks may be elsewhere.
    static final String WITHOUT_DRIVER = "TUTTI_TORCH_CUDA";

    /// One of them is there with NVIDIA's driver, on Linux and on Windows' Linux. `./tutti` looks, too.
    private static final List<Path> DRIVER = List.of(Path.of("/proc/driver/nvidia/version"), Path.of("/dev/dxg"));

    /// Its word of `--with`.
    final String option;

    /// The folder of its module, and where the jars are there.
    private final String module, folder;

    /// Finds it in a source file; null for those of package `mpi`.
    private final @Nullable Pattern imported;

    Adapter(String option, String module, String folder, @Nullable String packages) {
        this.option = option;
        this.module = module;
        this.folder = folder;
        imported = packages == null ? null : Pattern.compile("(?m)^\\s*import\\s+(static\\s+)?(" + packages + ")\\b");
    }

    /// Those that are named, as this machine has them.
    ///
    /// @throws UsageException if there is none of that name, or two cannot be in one program
    static List<Adapter> named(List<String> names) {
        boolean hasDriver = DRIVER.stream().anyMatch(Files::exists)
                || !System.getenv().getOrDefault(WITHOUT_DRIVER, "").isEmpty();
        return chosen(names, hasDriver);
    }

    /// As PyTorch with CUDA on a machine without: `torch.cuda_is_available()` is false, and the rest
    /// works.
    static List<Adapter> chosen(List<String> names, boolean hasDriver) {
        List<Adapter> named = names.stream().map(Adapter::named).distinct().toList();
        String words = "--with " + String.join(" --with ", names);
        if (named.stream().filter(Adapter::isLibrary).count() > 1) {
            throw new UsageException(words + ": each brings a libtorch of its own; give one");
        }
        if (named.containsAll(List.of(OPENMPI_JAVA, MPJ))) {
            throw new UsageException(words + ": the classes of both are called mpi.MPI, mpi.Comm, …; give one");
        }
        if (!named.contains(TORCH_CUDA) || hasDriver) return named;
        System.err.println("tutti: --with torch-cuda: this machine has no NVIDIA driver (" + DRIVER.getFirst()
                + "), so the CPU's torch is taken; " + WITHOUT_DRIVER + "=1 takes that with CUDA, for ranks elsewhere");
        return named.stream().map(a -> a == TORCH_CUDA ? TORCH : a).toList();
    }

    private static Adapter named(String name) {
        for (Adapter a : values()) if (a.option.equals(name)) return a;
        throw new UsageException("--with " + name
                + ": there are torch (libtorch, PyTorch's core), torch-cuda (the same for NVIDIA's GPUs), djl (Deep Java"
                + " Library), openmpi-java (Open MPI's Java bindings) and mpj (MPJ Express)");
    }

    /// The program's class path with their jars. Those of package `mpi` come first, because jars of programs
    /// bring the
    /// classes of the original.
    ///
    /// @throws UsageException if one is not built
    static String classPath(List<Adapter> named, @Nullable String own) {
        List<String> parts = new ArrayList<>();
        for (Adapter a : named) if (!a.isLibrary()) parts.add(a.jars());
        if (own != null) parts.add(own);
        for (Adapter a : named) if (a.isLibrary()) parts.add(a.jars());
        return String.join(File.pathSeparator, parts);
    }

    /// Whether it is a tensor library.
    boolean isLibrary() {
        return imported != null;
    }

    private String jars() {
        Path lib = Installation.adapter(option, module, folder);
        if (!Installation.hasJars(lib)) {
            String cure = Installation.isDistribution()
                    ? "mvn -q -f " + lib.resolve("pom.xml") + " package brings them there"
                    : "in Tutti's source, ./mvnw -q -DskipTests " + (this == TORCH_CUDA ? "-Ptorch-cuda " : "") + "-pl "
                            + module + " -am package brings them there";
            throw new UsageException("--with " + option + ": there are no jars in " + lib + "; " + cure);
        }
        return lib.resolve("*").toString();
    }

    /// Looks at a source file that is given no class path.
    ///
    /// @param named those that it is given
    /// @return a note if it may need another one of package `mpi`; null otherwise
    /// @throws UsageException if it imports one that it is not given
    static @Nullable String requireFor(String program, List<Adapter> named) {
        if (!program.endsWith(".java")) return null;
        String source;
        try {
            source = Files.readString(Path.of(program));
        } catch (IOException e) {
            return null; // what is wrong with the file is said where it is compiled
        }
        for (Adapter a : values()) {
            if (a.imported == null || !named.isEmpty()) continue;
            var found = a.imported.matcher(source);
            if (found.find()) throw missing(program, found.group(2), "--with " + a.option);
        }
        return LegacyApiCheck.checkSource(program, source, ofPackageMpi(named));
    }

    /// The one of package `mpi`, if one is named.
    static @Nullable Adapter ofPackageMpi(List<Adapter> named) {
        for (Adapter a : named) if (!a.isLibrary()) return a;
        return null;
    }

    private static UsageException missing(String program, String imported, String cure) {
        return new UsageException(program + " imports " + imported + ", which is not on its class path; add " + cure);
    }
}
