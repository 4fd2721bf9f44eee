package programs;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// A JVM that loads an MPI library without protection, like any other library: `Unguarded LIBRARY TIMES`.
public final class Unguarded {
    private Unguarded() {}

    public static void main(String[] args) throws Throwable {
        SymbolLookup library = SymbolLookup.libraryLookup(args[0], Arena.global());
        MethodHandle init = Linker.nativeLinker()
                .downcallHandle(
                        library.findOrThrow("MPI_Init"),
                        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
        int rc = (int) init.invokeExact(MemorySegment.NULL, MemorySegment.NULL);
        System.out.println("initialised: " + rc);
        System.out.println("caught " + Storm.nulls(Integer.parseInt(args[1])));
        Runtime.getRuntime().halt(0);
    }
}
