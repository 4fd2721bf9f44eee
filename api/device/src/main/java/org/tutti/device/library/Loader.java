package org.tutti.device.library;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The loader of the C library. Java's symbol lookup reports only that a library cannot be opened, not the
/// reason.
final class Loader {
    private static final int RTLD_LAZY = 0x1;
    private static final int LONGEST_REASON = 4096;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle dlopen = link("dlopen", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));
    private static final MethodHandle sigaction =
            link("sigaction", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle dlsym = link("dlsym", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

    // dlerror is linked before any dlopen, because linking resolves a symbol, which clears the reason of a
    // failed dlopen
    private static final MethodHandle dlerror = link("dlerror", FunctionDescriptor.of(ADDRESS));

    private Loader() {}

    private static MethodHandle link(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type);
    }

    /// The result of [#load]: either the symbols or the reason of the failure.
    record Loaded(@Nullable SymbolLookup symbols, @Nullable String failure) {}

    /// Loads a library by name or path. A library is never unloaded, because libraries often do not support
    /// this.
    static Loaded load(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment library = (MemorySegment) dlopen.invokeExact(arena.allocateFrom(name), RTLD_LAZY);
            if (library.address() != 0) return new Loaded(symbol -> find(library, symbol), null);
            MemorySegment text = (MemorySegment) dlerror.invokeExact();
            String reason = text.address() == 0
                    ? "no reason given"
                    : text.reinterpret(LONGEST_REASON).getString(0);
            return new Loaded(null, reason.replaceAll("\\s+", " ").strip());
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// Calls the C function `sigaction`, for [JvmSignals].
    static int sigaction(int signal, MemorySegment action, MemorySegment old) {
        try {
            return (int) sigaction.invokeExact(signal, action, old);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    private static Optional<MemorySegment> find(MemorySegment library, String symbol) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = (MemorySegment) dlsym.invokeExact(library, arena.allocateFrom(symbol));
            return found.address() == 0 ? Optional.empty() : Optional.of(found);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}
