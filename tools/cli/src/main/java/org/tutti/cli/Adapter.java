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
import org.tutti.launch.artifact.SourceDirectives;

/// A library that `--with` adds to a program: a tensor library (`--with torch`), or the package `mpi` of a
/// legacy API (`--with openmpi-java`). Adapters are not part of the command; the module of each adapter
/// collects the jars.
enum Adapter {
    TORCH("torch", "train/train-torch", "lib", "org\\.bytedeco\\.pytorch|org\\.tutti\\.train\\.torch"),
    TORCH_CUDA("torch-cuda", "train/train-torch", "lib-cuda", "org\\.bytedeco\\.cuda"),
    DJL("djl", "train/train-djl", "lib", "ai\\.djl|org\\.tutti\\.train\\.djl"),
    OPENMPI_JAVA("openmpi-java", "compat/compat-openmpi", "lib", null),
    MPJ("mpj", "compat/compat-mpj", "lib", null);

    /// Prevents the JDK's warnings about methods of `sun.misc.Unsafe`, which these libraries call.
    static final String JVM_OPTION = "--sun-misc-unsafe-memory-access=allow";

    /// The environment variable that selects libtorch with CUDA even if the launcher's machine has no driver,
    /// because ranks may run on other machines.
    static final String WITHOUT_DRIVER = "TUTTI_TORCH_CUDA";

    /// If NVIDIA's driver is installed, one of these files exists, on Linux and in WSL. `./tutti` checks the
    /// same files.
    private static final List<Path> DRIVER = List.of(Path.of("/proc/driver/nvidia/version"), Path.of("/dev/dxg"));

    /// The value of `--with`.
    final String option;

    /// The folder of the module, and the folder of the jars in the build directory of the module.
    private final String module, folder;

    /// Matches an import in a source file; null for adapters of package `mpi`.
    private final @Nullable Pattern imported;

    Adapter(String option, String module, String folder, @Nullable String packages) {
        this.option = option;
        this.module = module;
        this.folder = folder;
        imported = packages == null ? null : Pattern.compile("(?m)^\\s*import\\s+(static\\s+)?(" + packages + ")\\b");
    }

    /// Returns the named adapters in the variant for this machine.
    ///
    /// @throws UsageException if a name is unknown, or if two adapters exclude each other
    static List<Adapter> named(List<String> names) {
        boolean hasDriver = DRIVER.stream().anyMatch(Files::exists)
                || !System.getenv().getOrDefault(WITHOUT_DRIVER, "").isEmpty();
        return chosen(names, hasDriver);
    }

    /// Returns the adapters to use. On a machine without the driver, PyTorch with CUDA is replaced by PyTorch
    /// for CPUs; the only difference is that `torch.cuda_is_available()` returns false.
    static List<Adapter> chosen(List<String> names, boolean hasDriver) {
        List<Adapter> named =
                names.stream().map(name -> named("--with", name)).distinct().toList();
        String words = "--with " + String.join(" --with ", names);
        if (named.stream().filter(Adapter::isLibrary).count() > 1) {
            throw new UsageException(words + ": each contains a separate libtorch; give one");
        }
        if (named.containsAll(List.of(OPENMPI_JAVA, MPJ))) {
            throw new UsageException(words + ": the classes of both are called mpi.MPI, mpi.Comm, …; give one");
        }
        if (!named.contains(TORCH_CUDA) || hasDriver) return named;
        System.err.println("tutti: --with torch-cuda: this machine has no NVIDIA driver (" + DRIVER.getFirst()
                + "), so torch for the CPU is used; " + WITHOUT_DRIVER
                + "=1 selects torch-cuda, for ranks on other machines");
        return named.stream().map(a -> a == TORCH_CUDA ? TORCH : a).toList();
    }

    /// @param option the option or the command in which the name was specified
    /// @throws UsageException if no adapter has this name
    static Adapter named(String option, String name) {
        for (Adapter a : values()) if (a.option.equals(name)) return a;
        throw new UsageException(option + " " + name
                + ": there are torch (libtorch, PyTorch's core), torch-cuda (the same for NVIDIA's GPUs), djl (Deep Java"
                + " Library), openmpi-java (Open MPI's Java bindings) and mpj (MPJ Express)");
    }

    /// Returns the program's class path with the jars of the adapters. Jars of package `mpi` are first, because
    /// a program's jars may contain the original classes of the legacy API.
    ///
    /// @throws UsageException if an adapter is not built
    static String classPath(List<Adapter> named, @Nullable String own) {
        List<String> parts = new ArrayList<>();
        for (Adapter a : named) if (!a.isLibrary()) parts.add(a.jars());
        if (own != null) parts.add(own);
        for (Adapter a : named) if (a.isLibrary()) parts.add(a.jars());
        return String.join(File.pathSeparator, parts);
    }

    /// Whether this is a tensor library.
    boolean isLibrary() {
        return imported != null;
    }

    private String jars() {
        if (isLibrary() && Installation.isDistribution()) {
            LibraryFiles files = LibraryFiles.in(folder());
            if (!files.isComplete()) {
                throw new UsageException("--with " + option + ": the library is not installed; tutti fetch " + option
                        + " downloads it (" + FetchCommand.megabytes(files.bytes()) + ")");
            }
            return String.join(
                    File.pathSeparator,
                    files.classPath().stream().map(Path::toString).toList());
        }
        return builtFolder().resolve("*").toString();
    }

    /// Returns the adapter's folder in this installation.
    Path folder() {
        return Installation.adapter(option, module, folder);
    }

    /// Returns the folder, which contains all jars.
    ///
    /// @throws UsageException if the adapter is not built
    Path builtFolder() {
        Path lib = folder();
        if (Installation.hasJars(lib)) return lib;
        throw new UsageException("--with " + option + ": there are no jars in " + lib + "; in Tutti's source, ./mvnw -q"
                + " -DskipTests " + (this == TORCH_CUDA ? "-Ptorch-cuda " : "") + "-pl " + module
                + " -am package creates them");
    }

    /// Checks a source file that is to be run without a class path.
    ///
    /// @param named the adapters of `--with`
    /// @return a note if the file may be written for the other API of package `mpi`; null otherwise
    /// @throws UsageException if the file imports a tensor library without specifying libraries, and `--with` names
    ///     no library; or as [LegacyApiCheck#checkSource]
    static @Nullable String requireFor(String program, List<Adapter> named) {
        if (!program.endsWith(".java")) return null;
        String source;
        try {
            source = Files.readString(Path.of(program));
        } catch (IOException e) {
            return null; // reported when the file is compiled
        }
        boolean isComplete = named.stream().anyMatch(Adapter::isLibrary) || SourceDirectives.declareLibraries(source);
        for (Adapter a : values()) {
            if (a.imported == null || isComplete) continue;
            var found = a.imported.matcher(source);
            if (found.find()) throw missing(program, found.group(2), "--with " + a.option);
        }
        return LegacyApiCheck.checkSource(program, source, ofPackageMpi(named));
    }

    /// Returns the adapter of package `mpi`, or null.
    static @Nullable Adapter ofPackageMpi(List<Adapter> named) {
        for (Adapter a : named) if (!a.isLibrary()) return a;
        return null;
    }

    private static UsageException missing(String program, String imported, String cure) {
        return new UsageException(program + " imports " + imported + ", which is not on its class path; add " + cure);
    }
}
