package org.tutti.libmpi.boot;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tutti.job.environment.NativeVariables;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.spi.Fault;

/// The main class of a process that loads libraries and reports versions, for `tutti doctor`. The process is
/// separate, so that a broken library can end only this process.
///
///     LibraryProbe FILE mpi:openmpi          one MPI library, as [Library] loads it, and no other library
///     LibraryProbe FILE libcuda.so.1 …       other libraries, by name or path
///
/// Appends a line to FILE for each library as soon as the result is known, since loading the next library may
/// end the process:
///
///     name ⇥ loaded ⇥ path ⇥ version ⇥ further values
///     name ⇥ failed ⇥ the loader's message
///
/// Standard output is not used, because libraries print there.
public final class LibraryProbe {
    private static final String MPI = "mpi:";
    private static final String ANY = "any";

    /// Functions of the form `int f(int *)`, which are called if present in the library.
    private static final List<String> QUESTIONS = List.of(
            "cuDriverGetVersion",
            "cuDeviceGetCount",
            "cudaRuntimeGetVersion",
            "ncclGetVersion",
            "hipRuntimeGetVersion",
            "hipGetDeviceCount");

    private LibraryProbe() {}

    public static void main(String[] args) throws IOException {
        NativeVariables.FOR_JVMS.forEach(LibC::setenvIfAbsent);
        Path file = Path.of(args[0]);
        for (String name : List.of(args).subList(1, args.length)) {
            String line = name.startsWith(MPI) ? mpi(name) : other(name);
            Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }

    private static String mpi(String name) {
        String wish = name.substring(MPI.length());
        try {
            Library library = Library.load(
                    RankEnvironment.of(wish.equals(ANY) ? Map.of() : Map.of(RankEnvironment.LIBMPI, wish)), null);
            String device = Library.versionText(library.symbols())
                    .lines()
                    .filter(line -> line.startsWith("MPICH Device:"))
                    .map(line -> line.substring("MPICH Device:".length()).strip())
                    .findFirst()
                    .orElse("");
            return String.join("\t", name, "loaded", library.path(), library.version(), library.abi() + " " + device);
        } catch (Fault e) {
            String reasons = String.valueOf(e.getMessage())
                    .lines()
                    .filter(line -> line.startsWith("  "))
                    .map(String::strip)
                    .collect(Collectors.joining("; "));
            return name + "\tfailed\t" + reasons;
        }
    }

    private static String other(String name) throws IOException {
        String why = LibC.load(name);
        if (why != null) return name + "\tfailed\t" + why.replaceAll("\\s+", " ");
        SymbolLookup symbols = name.indexOf('/') >= 0
                ? SymbolLookup.libraryLookup(Path.of(name), Arena.global())
                : SymbolLookup.libraryLookup(name, Arena.global());
        StringJoiner answers = new StringJoiner(" ");
        symbols.find("cuInit").ifPresent(cuInit -> answers.add("cuInit=" + init(cuInit)));
        for (String question : QUESTIONS) {
            Optional<MemorySegment> function = symbols.find(question);
            if (function.isPresent()) answers.add(question + "=" + ask(function.get()));
        }
        return String.join("\t", name, "loaded", path(name), "", answers.toString());
    }

    private static int init(MemorySegment cuInit) {
        try {
            return (int) Linker.nativeLinker()
                    .downcallHandle(cuInit, FunctionDescriptor.of(JAVA_INT, JAVA_INT))
                    .invokeExact(0);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// Returns the value that the function has stored, or `!` and the error code.
    private static String ask(MemorySegment function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(JAVA_INT);
            int error = (int) Linker.nativeLinker()
                    .downcallHandle(function, FunctionDescriptor.of(JAVA_INT, ADDRESS))
                    .invokeExact(number);
            return error == 0 ? Integer.toString(number.get(JAVA_INT, 0)) : "!" + error;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// Returns the file found by the loader.
    private static String path(String name) throws IOException {
        if (name.indexOf('/') >= 0) return Path.of(name).toRealPath().toString();
        String stem = name.substring(0, name.indexOf(".so") + ".so".length());
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            return mappings.filter(line -> line.contains("/" + stem))
                    .map(line -> line.substring(line.indexOf('/')))
                    .findFirst()
                    .orElse(name);
        }
    }
}
