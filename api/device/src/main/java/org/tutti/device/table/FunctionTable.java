package org.tutti.device.table;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.tutti.device.spi.DeviceFault;

/// The functions of a C library, which are bound once. In Java, all arguments are `long`; the table row defines
/// the width in C.
///
///     row of FunctionRows ──name──▶ SymbolLookup ──address──▶ MethodHandle (long, …) → int, long
///
/// @param <F> the rows
public final class FunctionTable<F extends Enum<F>> {
    /// The size, in CUDA and in HIP, of a handle that a different process can open, in bytes.
    public static final int HANDLE_BYTES = 64;

    /// The size of a unique id of NCCL, in bytes.
    public static final int UNIQUE_ID_BYTES = 128;

    private static final int LONGEST_TEXT = 4096;
    private static final MemoryLayout HANDLE = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(HANDLE_BYTES, JAVA_BYTE).withName("reserved"));
    private static final MemoryLayout UNIQUE_ID = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(UNIQUE_ID_BYTES, JAVA_BYTE).withName("internal"));
    private static final MethodHandle BYTES_AT;

    static {
        try {
            BYTES_AT = MethodHandles.lookup()
                    .findStatic(
                            FunctionTable.class,
                            "bytesAt",
                            MethodType.methodType(MemorySegment.class, long.class, long.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String library;
    private final FunctionRows<F> rows;
    private final String column;
    private final @Nullable MethodHandle[] handles;

    /// Binds the functions of `rows` that `symbols` has.
    ///
    /// @param library the name of the library in errors
    /// @param column the column of this library's names
    /// @throws DeviceFault `UNSUPPORTED` if a required function is missing
    public FunctionTable(String library, FunctionRows<F> rows, String column, SymbolLookup symbols) {
        this.library = library;
        this.rows = rows;
        this.column = column;
        F[] functions = rows.functions();
        handles = new MethodHandle[functions.length];
        List<String> missing = new ArrayList<>();
        for (F function : functions) {
            String name = rows.name(function, column);
            Optional<MemorySegment> address = name == null ? Optional.empty() : symbols.find(name);
            if (address.isPresent()) {
                handles[function.ordinal()] = bind(rows.result(function), rows.arguments(function), address.get());
            } else if (!rows.isOptional(function)) missing.add(name(function));
        }
        if (!missing.isEmpty()) throw absent(missing);
    }

    private static MethodHandle bind(char result, String letters, MemorySegment address) {
        MemoryLayout[] layouts = new MemoryLayout[letters.length()];
        for (int i = 0; i < layouts.length; i++) layouts[i] = layout(letters.charAt(i));
        FunctionDescriptor descriptor = switch (result) {
            case 'v' -> FunctionDescriptor.ofVoid(layouts);
            case 't' -> FunctionDescriptor.of(JAVA_LONG, layouts);
            default -> FunctionDescriptor.of(layout(result), layouts);
        };
        MethodHandle handle = Linker.nativeLinker().downcallHandle(address, descriptor);
        for (int i = 0; i < layouts.length; i++) {
            if (layouts[i] instanceof GroupLayout group) {
                MethodHandle bytes = MethodHandles.insertArguments(BYTES_AT, 1, group.byteSize());
                handle = MethodHandles.filterArguments(handle, i, bytes);
            }
        }
        if (result == 'v') handle = MethodHandles.filterReturnValue(handle, MethodHandles.constant(int.class, 0));
        MethodType longs = MethodType.methodType(handle.type().returnType());
        for (int i = 0; i < layouts.length; i++) longs = longs.appendParameterTypes(long.class);
        return MethodHandles.explicitCastArguments(handle, longs);
    }

    private static MemoryLayout layout(char kind) {
        return switch (kind) {
            case 'i' -> JAVA_INT;
            case 'p' -> JAVA_LONG;
            case 'h' -> HANDLE;
            case 'u' -> UNIQUE_ID;
            default -> throw new IllegalStateException("no kind of argument: " + kind);
        };
    }

    private static MemorySegment bytesAt(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    /// Returns whether the library has this function.
    public boolean has(F function) {
        return handles[function.ordinal()] != null;
    }

    /// Returns the name in the library.
    public String name(F function) {
        String name = rows.name(function, column);
        return name == null ? function.name() : name;
    }

    /// Calls a function without arguments.
    public int call(F f) {
        try {
            return (int) handle(f).invokeExact();
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 1 argument.
    public int call(F f, long a1) {
        try {
            return (int) handle(f).invokeExact(a1);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 2 arguments.
    public int call(F f, long a1, long a2) {
        try {
            return (int) handle(f).invokeExact(a1, a2);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 3 arguments.
    public int call(F f, long a1, long a2, long a3) {
        try {
            return (int) handle(f).invokeExact(a1, a2, a3);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 4 arguments.
    public int call(F f, long a1, long a2, long a3, long a4) {
        try {
            return (int) handle(f).invokeExact(a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 5 arguments.
    public int call(F f, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (int) handle(f).invokeExact(a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 6 arguments.
    public int call(F f, long a1, long a2, long a3, long a4, long a5, long a6) {
        try {
            return (int) handle(f).invokeExact(a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 7 arguments.
    public int call(F f, long a1, long a2, long a3, long a4, long a5, long a6, long a7) {
        try {
            return (int) handle(f).invokeExact(a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 8 arguments.
    public int call(F f, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8) {
        try {
            return (int) handle(f).invokeExact(a1, a2, a3, a4, a5, a6, a7, a8);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 9 arguments.
    public int call(F f, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8, long a9) {
        try {
            return (int) handle(f).invokeExact(a1, a2, a3, a4, a5, a6, a7, a8, a9);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 11 arguments.
    public int call(
            F f, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8, long a9, long a10, long a11) {
        try {
            return (int) handle(f).invokeExact(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 14 arguments.
    public int call(
            F f,
            long a1,
            long a2,
            long a3,
            long a4,
            long a5,
            long a6,
            long a7,
            long a8,
            long a9,
            long a10,
            long a11,
            long a12,
            long a13,
            long a14) {
        try {
            return (int) handle(f).invokeExact(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 3 arguments that returns a pointer or a handle.
    public long address(F f, long a1, long a2, long a3) {
        try {
            return (long) handle(f).invokeExact(a1, a2, a3);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 4 arguments that returns a pointer or a handle.
    public long address(F f, long a1, long a2, long a3, long a4) {
        try {
            return (long) handle(f).invokeExact(a1, a2, a3, a4);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 5 arguments that returns a pointer or a handle.
    public long address(F f, long a1, long a2, long a3, long a4, long a5) {
        try {
            return (long) handle(f).invokeExact(a1, a2, a3, a4, a5);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 6 arguments that returns a pointer or a handle.
    public long address(F f, long a1, long a2, long a3, long a4, long a5, long a6) {
        try {
            return (long) handle(f).invokeExact(a1, a2, a3, a4, a5, a6);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function of 7 arguments that returns a pointer or a handle.
    public long address(F f, long a1, long a2, long a3, long a4, long a5, long a6, long a7) {
        try {
            return (long) handle(f).invokeExact(a1, a2, a3, a4, a5, a6, a7);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /// Calls a function that returns a string.
    public String text(F f, long a1) {
        try {
            long address = (long) handle(f).invokeExact(a1);
            return address == 0
                    ? ""
                    : MemorySegment.ofAddress(address).reinterpret(LONGEST_TEXT).getString(0);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private MethodHandle handle(F function) {
        MethodHandle handle = handles[function.ordinal()];
        if (handle == null) throw absent(List.of(name(function)));
        return handle;
    }

    private DeviceFault absent(List<String> functions) {
        return new DeviceFault(
                DeviceFault.Reason.UNSUPPORTED,
                library + " lacks " + String.join(", ", functions) + "; install a newer version");
    }

    /// Converts a throwable that was caught at a downcall. The C function itself does not throw.
    private static RuntimeException unexpected(Throwable t) {
        if (t instanceof RuntimeException e) return e;
        if (t instanceof Error e) throw e;
        throw new AssertionError(t);
    }
}
