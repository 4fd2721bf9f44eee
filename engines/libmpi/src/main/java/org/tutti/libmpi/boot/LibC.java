package org.tutti.libmpi.boot;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/// C library functions for loading and finalizing a library. Rarely used functions are linked on the first
/// call.
final class LibC {
    static final int RTLD_LAZY = 0x1;
    static final int RTLD_NOLOAD = 0x4;
    static final int RTLD_GLOBAL = 0x100;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle sigaction =
            link("sigaction", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle setenv =
            link("setenv", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    private static final MethodHandle dlopen = link("dlopen", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));
    private static final MethodHandle dlsym = link("dlsym", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

    // linked now, not after a failed dlopen: linking includes a symbol lookup, which clears the error message
    private static final MethodHandle dlerror = link("dlerror", FunctionDescriptor.of(ADDRESS));

    private LibC() {}

    private static MethodHandle link(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type);
    }

    /// Calls `int sigaction(int signum, const struct sigaction *act, struct sigaction *oldact)`
    static int sigaction(int signal, MemorySegment action, MemorySegment old) {
        try {
            return (int) sigaction.invokeExact(signal, action, old);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// Sets a variable of the C environment unless the user has set it. The change is not visible in
    /// `System.getenv`.
    static void setenvIfAbsent(String name, String value) {
        try (Arena arena = Arena.ofConfined()) {
            int ignored = (int) setenv.invokeExact(arena.allocateFrom(name), arena.allocateFrom(value), 0);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// Calls `void *dlopen(const char *filename, int flags)`
    static MemorySegment dlopen(String name, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            return (MemorySegment) dlopen.invokeExact(arena.allocateFrom(name), flags);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// Returns a global symbol of the process; NULL if not found.
    static MemorySegment dlsymDefault(String name, boolean mac) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment anywhere = MemorySegment.ofAddress(mac ? -2 : 0); // RTLD_DEFAULT
            return (MemorySegment) dlsym.invokeExact(anywhere, arena.allocateFrom(name));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// Loads `name` with `dlopen`. Returns the loader's error message, or null if the library has been loaded.
    static @Nullable String load(String name) {
        try {
            if (dlopen(name, RTLD_LAZY).address() != 0) return null;
            MemorySegment text = (MemorySegment) dlerror.invokeExact();
            return text.address() == 0
                    ? "no reason given"
                    : text.reinterpret(4096).getString(0);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// Calls `ssize_t write(int fd, const void *buf, size_t count)`
    static long write(int descriptor, MemorySegment bytes, long count) {
        class Linked {
            static final MethodHandle write =
                    link("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
        }
        try {
            return (long) Linked.write.invokeExact(descriptor, bytes, count);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// Calls `ssize_t read(int fd, void *buf, size_t count)`
    static long read(int descriptor, MemorySegment bytes, long count) {
        class Linked {
            static final MethodHandle read =
                    link("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
        }
        try {
            return (long) Linked.read.invokeExact(descriptor, bytes, count);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}
