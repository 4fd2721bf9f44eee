package org.tutti.libmpi.boot;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.NativeVariables;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.environment.RankEnvironment.Launcher;
import org.tutti.job.signal.SignalGuard;
import org.tutti.libmpi.abi.Abi;
import org.tutti.libmpi.abi.AbiTable;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// The MPI library of this process. There is only one, from [#load] to the end of the process.
///
/// @param file the name used to load the library
/// @param version the first line of the version string
public record Library(SymbolLookup symbols, String file, String version, AbiTable table, SignalGuard guard) {
    /// The system property that names a library if the environment does not: `openmpi`, `mpich`, `abi`, a path,
    /// or a library name.
    public static final String PROPERTY = "tutti.libmpi";

    private static final System.Logger LOG = System.getLogger("org.tutti.libmpi");
    private static final boolean MAC = System.getProperty("os.name", "").startsWith("Mac");
    private static final boolean LINUX = System.getProperty("os.name", "").startsWith("Linux");
    private static final Path MAPPINGS = Path.of("/proc/self/maps");
    private static final String ALREADY_LOADED = "already in the process";
    // MPI_MAX_LIBRARY_VERSION_STRING is 256 in Open MPI and 8192 elsewhere
    private static final int VERSION_BYTES = 8192;

    private static volatile @Nullable Library loaded;

    /// Returns the loaded library.
    public static Library loaded() {
        Library library = loaded;
        if (library == null) throw new IllegalStateException("no MPI library has been loaded");
        return library;
    }

    public Abi abi() {
        return table.abi();
    }

    /// Returns whether the library is Open MPI or derived from Open MPI, with any ABI.
    public boolean isOpenMpi() {
        return abi() == Abi.OPEN_MPI || version.startsWith("Open MPI");
    }

    /// Returns whether the library has this function or object.
    public boolean has(String symbol) {
        return symbols.find(symbol).isPresent();
    }

    /// Locates and loads the library for the process that `environment` describes.
    ///
    /// @param openMpiDirectory the library directory reported by a launcher of Open MPI
    /// @throws Fault if no library can be loaded; the message contains all candidates and the loader's messages
    public static synchronized Library load(RankEnvironment environment, @Nullable String openMpiDirectory) {
        Library before = loaded;
        if (before != null) return before;
        try {
            Library library = SignalGuard.alone(() -> find(environment, openMpiDirectory));
            loaded = library;
            return library;
        } catch (IllegalCallerException e) {
            throw noAccess();
        } catch (ExceptionInInitializerError e) {
            if (e.getCause() instanceof IllegalCallerException) throw noAccess();
            throw e;
        }
    }

    private static Fault noAccess() {
        String module = Library.class.getModule().isNamed() ? "org.tutti.libmpi" : "ALL-UNNAMED";
        return failure("org.tutti.libmpi has no native access; run with --enable-native-access=" + module);
    }

    private static Library find(RankEnvironment environment, @Nullable String openMpiDirectory) {
        SignalGuard guard = SignalGuard.save(LibC::sigaction);
        NativeVariables.FOR_JVMS.forEach(LibC::setenvIfAbsent);
        // not set in a job with ranks of other languages: these ranks would lack the variables, unless the
        // launcher sets the variables for all ranks
        if (environment.javaRanks() == null) NativeVariables.FOR_JOBS.forEach(LibC::setenvIfAbsent);

        String named = environment.libmpi() == null ? System.getProperty(PROPERTY) : environment.libmpi();
        String wish = named == null || named.isBlank() ? null : named; // blank: an unset variable in a script
        List<String> reasons = new ArrayList<>();
        if (wish == null) {
            SymbolLookup present = Library::alreadyLoaded;
            if (present.find("MPI_Init_thread").isPresent()) return identify(present, ALREADY_LOADED, guard);
        }
        for (String name : Candidates.of(wish, environment.pmi(), openMpiDirectory, MAC)) {
            // dlopen is called first, because the JVM would discard the loader's message
            String why = LibC.load(name);
            if (why != null) {
                reasons.add(why.startsWith(name) ? why : name + ": " + why);
                continue;
            }
            SymbolLookup symbols = name.indexOf('/') >= 0
                    ? SymbolLookup.libraryLookup(Path.of(name), Arena.global())
                    : SymbolLookup.libraryLookup(name, Arena.global());
            if (symbols.find("MPI_Init_thread").isPresent()) return identify(symbols, name, guard);
            reasons.add(name + ": loaded, but has no MPI_Init_thread");
        }
        String asked = wish == null ? "" : " for '" + wish + "'";
        String seen = environment.launcher() == Launcher.NONE ? "" : ", started by " + environment.launcher();
        throw failure("no MPI library could be loaded" + asked + seen + "; tried\n  " + String.join("\n  ", reasons)
                + "\ninstall Open MPI or MPICH, or name the library's file: " + RankEnvironment.LIBMPI
                + "=/path/to/libmpi.so, or -D" + PROPERTY + "=…");
    }

    private static Optional<MemorySegment> alreadyLoaded(String name) {
        MemorySegment symbol = LibC.dlsymDefault(name, MAC);
        return symbol.address() == 0 ? Optional.empty() : Optional.of(symbol);
    }

    private static Library identify(SymbolLookup symbols, String file, SignalGuard guard) {
        warnOf(guard.restore(), file);
        String version = version(symbols);
        Abi abi = abi(symbols);
        // the plugins of Open MPI 3.0 to 4.1, for example Debian's 4.1, use libmpi without linking to it, and
        // find it only in the global scope
        if (LINUX && abi == Abi.OPEN_MPI && version.matches("Open MPI v[1-4]\\..*") && !file.equals(ALREADY_LOADED)) {
            LibC.dlopen(file, LibC.RTLD_LAZY | LibC.RTLD_NOLOAD | LibC.RTLD_GLOBAL);
        }
        // with the defaults, 4.x has no windows across machines, or crashes in a compare-and-swap
        if (version.startsWith("Open MPI v4.")) LibC.setenvIfAbsent("OMPI_MCA_osc", "sm,ucx");
        return new Library(symbols, file, version, abi.table(), guard);
    }

    /// Returns the loaded file, or the requested name if the system does not provide the file.
    public String path() {
        MemorySegment function = symbols.find("MPI_Init_thread").orElse(MemorySegment.NULL);
        try (Stream<String> mappings = Files.lines(MAPPINGS)) {
            return mappings.filter(line -> holds(line, function.address()))
                    .map(line -> line.substring(Math.max(0, line.indexOf('/'))))
                    .findFirst()
                    .orElse(file);
        } catch (IOException | UncheckedIOException e) {
            return file;
        }
    }

    /// Returns whether a line of /proc/self/maps, such as `7f00-7fff r-xp 0000 fd:01 1234 /usr/lib/…`, belongs
    /// to a file and contains the address.
    private static boolean holds(String mapping, long address) {
        int dash = mapping.indexOf('-'), end = mapping.indexOf(' ');
        if (dash < 0 || end < dash || mapping.indexOf('/') < 0) return false;
        return Long.parseUnsignedLong(mapping, 0, dash, 16) <= address
                && address < Long.parseUnsignedLong(mapping, dash + 1, end, 16);
    }

    /// Restores the JVM's signal handlers that the library has replaced, in `MPI_Init` or later.
    ///
    /// @throws Fault if the handlers cannot be restored: the next null check would end the process
    public void protectSignals() {
        List<Integer> lost = SignalGuard.alone(() -> {
            warnOf(guard.restore(), file);
            return guard.lost();
        });
        if (lost.isEmpty()) return;
        throw failure(version + " (" + path() + ") has replaced the handlers of signals " + lost
                + ", which the JVM needs to check for null and to"
                + " divide, and the handlers cannot be restored; run with LD_PRELOAD=" + System.getProperty("java.home")
                + "/lib/libjsig.so");
    }

    private static void warnOf(List<Integer> signals, String file) {
        if (!signals.isEmpty()) {
            LOG.log(
                    Level.DEBUG,
                    "{0} replaced the JVM''s handlers of signals {1}; the handlers were restored",
                    file,
                    signals);
        }
    }

    private static Abi abi(SymbolLookup symbols) {
        if (standardAbi(symbols)) return Abi.STANDARD;
        return symbols.find("ompi_mpi_comm_world").isPresent() ? Abi.OPEN_MPI : Abi.MPICH;
    }

    /// Returns whether the library has the standard ABI. MPI 5 libraries with a different ABI have
    /// `MPI_Abi_get_version`, too, and report the version -1.
    private static boolean standardAbi(SymbolLookup symbols) {
        Optional<MemorySegment> function = symbols.find("MPI_Abi_get_version");
        if (function.isEmpty()) return false;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment major = arena.allocate(JAVA_INT);
            MemorySegment minor = arena.allocate(JAVA_INT);
            int rc = call(function.get(), major, minor);
            return rc == 0 && major.get(JAVA_INT, 0) >= 1;
        }
    }

    private static String version(SymbolLookup symbols) {
        // MPICH appends the configure line
        return versionText(symbols).lines().findFirst().orElse("").strip().replaceAll("\\s+", " ");
    }

    /// Returns the complete text of `MPI_Get_library_version`.
    static String versionText(SymbolLookup symbols) {
        Optional<MemorySegment> function = symbols.find("MPI_Get_library_version");
        if (function.isEmpty()) return "an MPI library older than MPI-3";
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(VERSION_BYTES);
            MemorySegment length = arena.allocate(JAVA_INT);
            call(function.get(), text, length);
            return text.getString(0);
        }
    }

    private static int call(MemorySegment function, MemorySegment first, MemorySegment second) {
        try {
            return (int) Linker.nativeLinker()
                    .downcallHandle(function, FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS))
                    .invokeExact(first, second);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    private static Fault failure(String text) {
        return Fault.job(PredefinedErrorClass.ERR_OTHER, "init", text, null);
    }
}
