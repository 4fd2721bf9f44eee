package org.tutti.device;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.device.source.KernelSignature;
import org.tutti.device.source.KernelSignature.Parameter;
import org.tutti.device.source.ParameterType;
import org.tutti.device.spi.LaunchShape;
import org.tutti.mpi.Datatype;

/// A function that threads of a device run in parallel. [Device#kernel] creates it, and it is closed with the
/// device. Thread-safe.
public final class Kernel {
    private static final MemorySegment NO_MEMORY = MemorySegment.NULL;

    private final Device device;
    private final String name;

    /// The signature; null for a kernel that exists only in Java.
    private final @Nullable KernelSignature signature;

    /// The driver's handle; unused if `host` is set.
    private final long function;

    private final @Nullable HostKernel host;

    Kernel(Device device, String name, @Nullable KernelSignature signature, long function, @Nullable HostKernel host) {
        this.device = device;
        this.name = name;
        this.signature = signature;
        this.function = function;
        this.host = host;
    }

    public String name() {
        return name;
    }

    /// Launches the kernel and returns immediately. Later work with a buffer that is passed to the kernel is
    /// executed after the kernel.
    ///
    /// @param grid the number of blocks
    /// @param block the number of threads per block
    /// @param arguments one argument per parameter: a `Byte`, `Short`, `Integer`, `Long`, `Float` or `Double`,
    ///     or for a pointer a [DeviceBuffer] of this device
    /// @throws DeviceException if the arguments do not fit the signature; in this case, the kernel has not been
    ///     launched
    public void launch(Dim grid, Dim block, Object... arguments) {
        launch(device.stream(), 0, grid, block, arguments);
    }

    /// Like [#launch(Dim, Dim, Object...)], on a stream.
    ///
    /// @param sharedBytes the size of shared memory per block, in addition to the kernel's declarations
    public void launch(DeviceStream stream, int sharedBytes, Dim grid, Dim block, Object... arguments) {
        if (stream.device() != device)
            throw error("the stream is of " + stream.device().id() + ", another device");
        checkShape(sharedBytes, block);
        checkOwners(arguments);
        if (signature != null) check(signature, arguments);
        device.locked(d -> {
            long handle = stream.handle();
            for (Object argument : arguments) {
                if (!(argument instanceof DeviceBuffer buffer)) continue;
                buffer.usable();
                device.ordered(buffer.memory(), stream, d);
            }
            if (host != null) {
                try {
                    new HostThread(grid, block).runAll(host, new HostArguments(arguments, memory(arguments)));
                } catch (IndexOutOfBoundsException e) {
                    throw new DeviceException(
                            device.id() + ": kernel " + name + ": an index outside of a buffer: " + e.getMessage(), e);
                }
                return null;
            }
            KernelSignature checked = Objects.requireNonNull(signature);
            LaunchShape shape =
                    new LaunchShape(grid.x(), grid.y(), grid.z(), block.x(), block.y(), block.z(), sharedBytes);
            d.launch(handle, function, checked, bits(arguments), shape);
            return null;
        });
    }

    private void checkShape(int sharedBytes, Dim block) {
        int most = device.attributes().threadsPerBlock();
        if (block.total() > most) {
            throw error("block=" + block + " is " + block.total() + " threads, but a block has at most " + most);
        }
        if (sharedBytes < 0 || sharedBytes > device.attributes().sharedBytes()) {
            throw error("sharedBytes=" + sharedBytes + " is not from 0 to "
                    + device.attributes().sharedBytes());
        }
    }

    /// Rejects buffers of other devices. Without this check, a kernel in Java, which has no signature, would
    /// dereference an address of a different device.
    private void checkOwners(Object[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            if (!(arguments[i] instanceof DeviceBuffer buffer) || buffer.owner() == device) continue;
            String parameter = signature == null || i >= signature.parameters().size()
                    ? ""
                    : " for " + signature.parameters().get(i);
            throw error("argument " + i + parameter + " is a buffer of " + buffer.device() + ", another device");
        }
    }

    private void check(KernelSignature kernel, Object[] arguments) {
        List<Parameter> parameters = kernel.parameters();
        if (parameters.size() != arguments.length) {
            throw error(arguments.length + " arguments for " + parameters.size() + " parameters: " + kernel);
        }
        for (int i = 0; i < arguments.length; i++) {
            Parameter parameter = parameters.get(i);
            if (fits(parameter, arguments[i])) continue;
            throw error("argument " + i + " for " + parameter + " is " + describe(arguments[i]) + ", must be "
                    + wanted(parameter));
        }
    }

    private static boolean fits(Parameter parameter, @Nullable Object argument) {
        if (parameter.pointer()) {
            return argument instanceof DeviceBuffer buffer
                    && types(parameter.type()).contains(buffer.type());
        }
        return switch (parameter.type()) {
            case CHAR, UNSIGNED_CHAR -> argument instanceof Byte;
            case SHORT, UNSIGNED_SHORT -> argument instanceof Short;
            case INT, UNSIGNED_INT -> argument instanceof Integer;
            case LONG_LONG, UNSIGNED_LONG_LONG -> argument instanceof Long || argument instanceof Integer;
            case FLOAT -> argument instanceof Float;
            case DOUBLE -> argument instanceof Double || argument instanceof Float;
        };
    }

    /// Returns the element types of buffers that may be passed for a pointer to `type`.
    private static List<Datatype> types(ParameterType type) {
        return switch (type) {
            case CHAR, UNSIGNED_CHAR -> List.of(Datatype.BYTE, Datatype.BOOLEAN, Datatype.PACKED);
            case SHORT, UNSIGNED_SHORT -> List.of(Datatype.SHORT, Datatype.CHAR);
            case INT, UNSIGNED_INT -> List.of(Datatype.INT, Datatype.INT_INT);
            case LONG_LONG, UNSIGNED_LONG_LONG -> List.of(Datatype.LONG);
            case FLOAT -> List.of(Datatype.FLOAT, Datatype.FLOAT_COMPLEX);
            case DOUBLE -> List.of(Datatype.DOUBLE, Datatype.DOUBLE_COMPLEX);
        };
    }

    private static String describe(@Nullable Object argument) {
        return switch (argument) {
            case null -> "null";
            case DeviceBuffer buffer -> "a buffer of " + buffer;
            case Number number -> number.getClass().getSimpleName() + " " + number;
            default -> "of " + argument.getClass();
        };
    }

    private static String wanted(Parameter parameter) {
        if (parameter.pointer()) return "a buffer of " + types(parameter.type()).getFirst();
        return switch (parameter.type()) {
            case CHAR, UNSIGNED_CHAR -> "a Byte";
            case SHORT, UNSIGNED_SHORT -> "a Short";
            case INT, UNSIGNED_INT -> "an Integer";
            case LONG_LONG, UNSIGNED_LONG_LONG -> "a Long or an Integer";
            case FLOAT -> "a Float, such as 2f";
            case DOUBLE -> "a Double or a Float";
        };
    }

    private static MemorySegment[] memory(Object[] arguments) {
        MemorySegment[] memory = new MemorySegment[arguments.length];
        for (int i = 0; i < memory.length; i++) {
            memory[i] = arguments[i] instanceof DeviceBuffer buffer ? buffer.segment() : NO_MEMORY;
        }
        return memory;
    }

    private long[] bits(Object[] arguments) {
        List<Parameter> parameters = Objects.requireNonNull(signature).parameters();
        long[] bits = new long[arguments.length];
        for (int i = 0; i < bits.length; i++) {
            ParameterType type = parameters.get(i).type();
            bits[i] = switch (arguments[i]) {
                case DeviceBuffer buffer -> buffer.usable();
                case Number n when type == ParameterType.FLOAT -> Float.floatToRawIntBits(n.floatValue());
                case Number n when type == ParameterType.DOUBLE -> Double.doubleToRawLongBits(n.doubleValue());
                case Number n -> n.longValue();
                default -> throw new AssertionError(arguments[i]);
            };
        }
        return bits;
    }

    private DeviceException error(String message) {
        return device.error("kernel " + name + ": " + message);
    }

    /// Returns the name and the parameters.
    @Override
    public String toString() {
        return signature == null ? name + "(...)" : signature.toString();
    }
}
