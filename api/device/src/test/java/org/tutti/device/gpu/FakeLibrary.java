package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// A fake C library in Java: the functions are upcalls with the types of the prototypes. Records all calls, and
/// returns errors on demand.
public final class FakeLibrary implements SymbolLookup {
    /// The implementation of the functions.
    public interface Behaviour {
        /// @param row the row name at the start of the prototype's line
        /// @param arguments `Integer`; `Long` for 8-byte arguments; `MemorySegment` for arguments passed by
        ///     value
        int call(String row, Object[] arguments) throws Throwable;
    }

    private final Map<String, MemorySegment> symbols = new HashMap<>();
    private final Map<String, Integer> failures = new ConcurrentHashMap<>();
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private final Behaviour behaviour;
    private volatile @Nullable Throwable broken;

    /// @param prototypes lines with the name of a row and a prototype
    public FakeLibrary(String prototypes, Behaviour behaviour) {
        this.behaviour = behaviour;
        prototypes.lines().forEach(this::define);
    }

    private void define(String line) {
        String row = line.substring(0, line.indexOf(' '));
        String name = line.substring(line.indexOf(' ') + 1, line.indexOf('('));
        String inside =
                line.substring(line.indexOf('(') + 1, line.lastIndexOf(')')).strip();
        List<MemoryLayout> layouts = new ArrayList<>();
        if (!inside.isEmpty()) for (String parameter : inside.split(",")) layouts.add(layout(parameter.strip()));
        FunctionDescriptor descriptor = FunctionDescriptor.of(JAVA_INT, layouts.toArray(MemoryLayout[]::new));
        try {
            MethodHandle invoke = MethodHandles.lookup()
                    .findVirtual(
                            FakeLibrary.class,
                            "invoke",
                            MethodType.methodType(int.class, String.class, String.class, Object[].class));
            MethodHandle target = MethodHandles.insertArguments(invoke, 0, this, row, name)
                    .asCollector(Object[].class, layouts.size())
                    .asType(descriptor.toMethodType());
            symbols.put(name, Linker.nativeLinker().upcallStub(target, descriptor, Arena.ofAuto()));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /// Returns the layout of a parameter from the declaration.
    private static MemoryLayout layout(String parameter) {
        if (parameter.contains("*")) return JAVA_LONG;
        String type = parameter.substring(0, parameter.lastIndexOf(' ')).strip();
        return switch (type) {
            case "int", "unsigned int", "unsigned", "unsigned char", "unsigned short" -> JAVA_INT;
            case "CUdevice", "CUdevice_attribute", "CUfunction_attribute" -> JAVA_INT;
            case "hipDevice_t", "hipDeviceAttribute_t", "hipFunction_attribute" -> JAVA_INT;
            case "ncclDataType_t", "ncclRedOp_t", "cublasOperation_t", "hipblasOperation_t" -> JAVA_INT;
            case "CUipcMemHandle", "hipIpcMemHandle_t" ->
                MemoryLayout.structLayout(MemoryLayout.sequenceLayout(64, JAVA_BYTE));
            case "ncclUniqueId" -> MemoryLayout.structLayout(MemoryLayout.sequenceLayout(128, JAVA_BYTE));
            default -> JAVA_LONG; // handles, size_t
        };
    }

    @SuppressWarnings("unused") // called by stubs; an exception would terminate the JVM
    private int invoke(String row, String name, Object[] arguments) {
        calls.add(name);
        try {
            Integer code = failures.remove(row);
            return code != null ? code : behaviour.call(row, arguments);
        } catch (Throwable t) {
            broken = t;
            return 999;
        }
    }

    @Override
    public Optional<MemorySegment> find(String name) {
        return Optional.ofNullable(symbols.get(name));
    }

    /// Lets the next call of a row return `code` without effect.
    public FakeLibrary fail(String row, int code) {
        failures.put(row, code);
        return this;
    }

    /// Removes a function.
    public FakeLibrary without(String name) {
        if (symbols.remove(name) == null) throw new IllegalArgumentException(name);
        return this;
    }

    /// Returns the names of all functions called so far, in order.
    public List<String> calls() {
        if (broken != null) throw new AssertionError("the fake failed", broken);
        return List.copyOf(calls);
    }

    public void forgetCalls() {
        calls.clear();
    }

    /// Returns the memory at an address, without size limit.
    public static MemorySegment at(Object address) {
        return MemorySegment.ofAddress((long) address).reinterpret(Long.MAX_VALUE);
    }

    /// Returns the C string that a pointer in memory refers to.
    static String textAt(MemorySegment pointers, int index) {
        return at(pointers.getAtIndex(ADDRESS, index).address()).getString(0);
    }
}
