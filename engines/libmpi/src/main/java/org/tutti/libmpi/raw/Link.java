package org.tutti.libmpi.raw;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;
import java.util.stream.Stream;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.boot.Library;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Binds functions of the library.
final class Link {
    /// The layouts of `int`, of a pointer, of `MPI_Count` and `MPI_Aint`, and of all handles except files.
    static final MemoryLayout INT = JAVA_INT, POINTER = ADDRESS, COUNT = JAVA_LONG;

    static final MemoryLayout HANDLE = Library.loaded().abi().handle().withName("handle");

    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup SYMBOLS = Library.loaded().symbols();
    private static final MethodHandle ABSENT;

    static {
        try {
            ABSENT = MethodHandles.lookup()
                    .findStatic(Link.class, "absent", MethodType.methodType(int.class, String.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Link() {}

    /// Binds a function that returns an error code.
    static MethodHandle link(String name, MemoryLayout... arguments) {
        return bind(name, arguments);
    }

    /// Binds a function that always returns immediately, without upcalls.
    static MethodHandle linkCritical(String name, MemoryLayout... arguments) {
        return bind(name, arguments, Linker.Option.critical(false));
    }

    private static MethodHandle bind(String name, MemoryLayout[] arguments, Linker.Option... options) {
        FunctionDescriptor descriptor = FunctionDescriptor.of(JAVA_INT, arguments);
        MethodType type = descriptor.toMethodType();
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] == HANDLE) type = type.changeParameterType(i, long.class);
        }
        Optional<MemorySegment> address = SYMBOLS.find(name);
        if (address.isEmpty()) return MethodHandles.dropArguments(ABSENT.bindTo(name), 0, type.parameterList());
        // long to int is a truncation, which the compiler removes
        return MethodHandles.explicitCastArguments(LINKER.downcallHandle(address.get(), descriptor, options), type);
    }

    /// Returns whether the library has all of these functions.
    static boolean hasAll(String... names) {
        return Stream.of(names).allMatch(Library.loaded()::has);
    }

    @SuppressWarnings("unused") // called through ABSENT
    private static int absent(String name) {
        Library library = Library.loaded();
        throw Fault.argument(
                PredefinedErrorClass.ERR_OTHER,
                name,
                "this MPI library lacks the function (" + library.version() + ", " + library.path() + "); select one of"
                        + " MPI 3.1 or later with " + RankEnvironment.LIBMPI + "=/path/to/libmpi.so, or --mpi",
                null);
    }

    /// Converts an exception of a downcall. The C function itself throws no exception, so the cause is an error
    /// of the JVM or an absent function.
    static RuntimeException unexpected(Throwable t) {
        if (t instanceof RuntimeException e) return e;
        if (t instanceof Error e) throw e;
        throw new AssertionError(t);
    }
}
