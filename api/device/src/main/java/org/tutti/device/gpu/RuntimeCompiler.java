package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.device.gpu.GpuPlatform.Target;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.library.JvmSignals;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.source.KernelSource;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.table.FunctionTable;

/// A run-time compiler for kernels.
final class RuntimeCompiler {
    /// The line before the source, which sets the name of the source: otherwise HIPRTC reports the name of a
    /// temporary file.
    private static final String NAMED = "#line 1 \"" + KernelSource.FILE + "\"\n";

    private static final int COMPILATION = 6;

    private final GpuPlatform platform;
    private final FunctionTable<CompilerFunction> table;
    private final List<Integer> architectures;
    private final String name;

    RuntimeCompiler(GpuPlatform platform, String library, SymbolLookup symbols) {
        this.platform = platform;
        table = new FunctionTable<>(library, CompilerFunction.ROWS, platform.kind(), symbols);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment version = arena.allocate(JAVA_INT, 2);
            check(
                    CompilerFunction.VERSION,
                    table.call(CompilerFunction.VERSION, version.address(), version.address() + JAVA_INT.byteSize()));
            name = platform.compilerName() + " " + version.getAtIndex(JAVA_INT, 0) + "."
                    + version.getAtIndex(JAVA_INT, 1);
        }
        architectures = table.has(CompilerFunction.ARCHITECTURES) ? architectures() : List.of();
    }

    /// Searches for the compiler and loads it.
    ///
    /// @throws DeviceFault `UNSUPPORTED`, with the search report, if no compiler was found
    static RuntimeCompiler load(GpuPlatform platform, Function<LibrarySearch, DynamicLibrary> loader) {
        DynamicLibrary library = loader.apply(platform.compiler());
        if (library.symbols() == null) {
            String tried = library.attempts().stream().map(Attempt::toString).collect(Collectors.joining("\n  "));
            throw new DeviceFault(
                    Reason.UNSUPPORTED,
                    "no " + platform.compilerName() + " for compiling kernels; tried\n  " + tried + "\ninstall"
                            + " it, or set the path with -D"
                            + platform.compiler().property() + "=…");
        }
        String path = String.valueOf(library.path());
        loadParts(platform, Path.of(path).getParent());
        return new RuntimeCompiler(platform, path, library.symbols());
    }

    /// Loads further libraries of the compiler. The compiler opens these libraries only by name. The loader
    /// then uses a library of this name that is already loaded, and otherwise searches only its default
    /// directories.
    private static void loadParts(GpuPlatform platform, @Nullable Path directory) {
        String prefix = platform.compilerParts();
        if (prefix == null || directory == null) return;
        List<String> parts = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, prefix + "*")) {
            for (Path file : files) if (!file.toString().contains(".alt.")) parts.add(file.toString());
        } catch (IOException e) {
            return; // the compiler's log will name the missing library
        }
        if (!parts.isEmpty())
            DynamicLibrary.find(new LibrarySearch(platform.compiler().property() + ".parts", parts));
    }

    private List<Integer> architectures() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            check(
                    CompilerFunction.ARCHITECTURE_COUNT,
                    table.call(CompilerFunction.ARCHITECTURE_COUNT, count.address()));
            MemorySegment all = arena.allocate(JAVA_INT, count.get(JAVA_INT, 0));
            check(CompilerFunction.ARCHITECTURES, table.call(CompilerFunction.ARCHITECTURES, all.address()));
            return Arrays.stream(all.toArray(JAVA_INT)).boxed().toList();
        }
    }

    /// Returns the name and version.
    @Override
    public String toString() {
        return name;
    }

    /// Compiles for a given architecture, or for the thread's current device.
    byte[] compile(String source, List<String> options, String architecture) {
        Target target = platform.target(architecture, architectures);
        List<String> all = new ArrayList<>();
        for (String option : options) all.add(option.replaceFirst("^-D ", "-D"));
        if (target.option() != null) all.add(target.option());
        return compile(source, all, target.portable());
    }

    private byte[] compile(String source, List<String> options, boolean portable) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(ADDRESS);
            check(
                    CompilerFunction.CREATE,
                    table.call(
                            CompilerFunction.CREATE,
                            handle.address(),
                            arena.allocateFrom(NAMED + source).address(),
                            arena.allocateFrom(KernelSource.FILE).address(),
                            0,
                            0,
                            0));
            long program = handle.get(JAVA_LONG, 0);
            try {
                MemorySegment texts = arena.allocate(ADDRESS, options.size());
                for (int i = 0; i < options.size(); i++) {
                    texts.setAtIndex(ADDRESS, i, arena.allocateFrom(options.get(i)));
                }
                // during a compilation, NVRTC changes signal handlers and the stack limit, so there is only one
                // compilation at a time
                int code = JvmSignals.kept(
                        () -> table.call(CompilerFunction.COMPILE, program, options.size(), texts.address()));
                if (code != 0) throw failure(code, program, options);
                return portable
                        ? bytes(program, CompilerFunction.PORTABLE_SIZE, CompilerFunction.PORTABLE)
                        : bytes(program, CompilerFunction.CODE_SIZE, CompilerFunction.CODE);
            } finally {
                table.call(CompilerFunction.DESTROY, handle.address());
            }
        }
    }

    private DeviceFault failure(int code, long program, List<String> options) {
        byte[] bytes = bytes(program, CompilerFunction.LOG_SIZE, CompilerFunction.LOG);
        String log = new String(bytes, StandardCharsets.UTF_8).replace("\0", "").strip();
        if (code == COMPILATION) return new DeviceFault(Reason.COMPILE, log);
        return new DeviceFault(
                Reason.FAILED,
                table.name(CompilerFunction.COMPILE) + options + ": " + platform.compilerError(code) + "\n" + log);
    }

    private byte[] bytes(long program, CompilerFunction size, CompilerFunction content) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment length = arena.allocate(JAVA_LONG);
            check(size, table.call(size, program, length.address()));
            if (length.get(JAVA_LONG, 0) == 0) return new byte[0];
            MemorySegment bytes = arena.allocate(length.get(JAVA_LONG, 0));
            check(content, table.call(content, program, bytes.address()));
            return bytes.toArray(JAVA_BYTE);
        }
    }

    private void check(CompilerFunction function, int code) {
        if (code == 0) return;
        throw new DeviceFault(Reason.FAILED, table.name(function) + "(): " + platform.compilerError(code));
    }
}
