package org.tutti.train.torch.tensor;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.DeviceOptional;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.LongArrayRef;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.StringTensorDictItem;
import org.bytedeco.pytorch.StringTensorDictItemVector;
import org.bytedeco.pytorch.TensorBase;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.bytedeco.pytorch.named_buffer_iterator;
import org.bytedeco.pytorch.named_buffer_list;
import org.bytedeco.pytorch.named_parameter_iterator;
import org.bytedeco.pytorch.named_parameter_list;
import org.tutti.train.TrainingException;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.model.TensorStorage;

/// Conversions between libtorch's tensors and memory, without copies.
public final class Tensors {
    private Tensors() {}

    /// A tensor of a module.
    ///
    /// @param impl the identity of the tensor, which is the same for all layers that share the tensor
    /// @param address the address of the numbers when this record was created
    /// @param isOnCpu whether the numbers are in CPU memory
    public record Named(String name, org.bytedeco.pytorch.Tensor tensor, long impl, long address, boolean isOnCpu) {
        public Named(String name, org.bytedeco.pytorch.Tensor tensor) {
            this(
                    name,
                    tensor,
                    tensor.unsafeGetTensorImpl().address(),
                    addressOf(tensor),
                    tensor.device().is_cpu());
        }

        public boolean isSame(Named other) {
            return impl == other.impl;
        }

        public boolean isInPlace() {
            return addressOf(tensor) == address;
        }

        public Tensor shared() {
            return Tensors.shared(name, tensor);
        }
    }

    public static List<Named> parametersOf(JitModule module) {
        List<Named> all = new ArrayList<>();
        named_parameter_list list = module.named_parameters();
        named_parameter_iterator end = list.end();
        for (named_parameter_iterator i = list.begin(); i.notEquals(end); i.increment()) {
            add(named(i.access().name().getString(), i.access().value()), all);
        }
        return all;
    }

    public static List<Named> buffersOf(JitModule module) {
        List<Named> all = new ArrayList<>();
        named_buffer_list list = module.named_buffers();
        named_buffer_iterator end = list.end();
        for (named_buffer_iterator i = list.begin(); i.notEquals(end); i.increment()) {
            add(named(i.access().name().getString(), i.access().value()), all);
        }
        return all;
    }

    public static List<Named> parametersOf(Module module) {
        List<Named> all = new ArrayList<>();
        add(module.named_parameters().items(), all);
        return all;
    }

    public static List<Named> buffersOf(Module module) {
        List<Named> all = new ArrayList<>();
        add(module.named_buffers().items(), all);
        return all;
    }

    /// Returns parameters and then buffers. A tensor that several layers share occurs once with each name.
    public static List<Named> withAliasesOf(Module module) {
        List<Named> all = named(module.named_parameters().items());
        all.addAll(named(module.named_buffers().items()));
        return all;
    }

    private static void add(StringTensorDictItemVector items, List<Named> to) {
        named(items).forEach(n -> add(n, to));
    }

    private static List<Named> named(StringTensorDictItemVector items) {
        List<Named> all = new ArrayList<>();
        for (long i = 0; i < items.size(); i++) {
            StringTensorDictItem item = items.get(i);
            all.add(named(item.key().getString(), item.value()));
        }
        return all;
    }

    private static Named named(String name, org.bytedeco.pytorch.Tensor listed) {
        // a separate reference, because the given one points into the list and is freed with the list
        return new Named(name, new org.bytedeco.pytorch.Tensor(listed));
    }

    private static void add(Named named, List<Named> to) {
        if (to.stream().noneMatch(n -> n.isSame(named))) to.add(named);
    }

    /// Returns the contents of a tensor of libtorch without a copy. The tensor must outlive the result.
    public static Tensor shared(String name, org.bytedeco.pytorch.Tensor tensor) {
        boolean isOnCpu = tensor.device().is_cpu();
        if (!isOnCpu && !tensor.is_cuda()) {
            throw new TrainingException(name + " is on " + tensor.device().str().getString()
                    + "; tensors must be in the CPU's memory, or a CUDA device's");
        }
        if (!tensor.is_contiguous()) {
            throw new TrainingException(name + " is not in one piece; make it so with contiguous()");
        }
        DType type = type(name, tensor);
        TensorStorage storage = isOnCpu
                ? TensorStorage.of(memory(tensor))
                : new TensorOnDevice(tensor, type, tensor.device().str().getString());
        return new Tensor(new TensorSpec(name, type, shape(tensor)), storage);
    }

    /// Returns the values of a tensor. For a sparse tensor, these are the stored values, with each index once.
    public static org.bytedeco.pytorch.Tensor values(org.bytedeco.pytorch.Tensor tensor) {
        return tensor.is_sparse() ? tensor.coalesce()._values() : tensor;
    }

    public static List<Long> shape(TensorBase tensor) {
        LongArrayRef sizes = tensor.sizes();
        List<Long> shape = new ArrayList<>();
        for (long d = 0; d < sizes.size(); d++) shape.add(sizes.get(d));
        return shape;
    }

    /// Returns the memory of a tensor on the CPU.
    public static MemorySegment memory(TensorBase tensor) {
        return MemorySegment.ofAddress(addressOf(tensor)).reinterpret(tensor.nbytes());
    }

    /// @param operation the operation that requires CPU memory
    /// @throws TrainingException if a tensor is not in CPU memory
    public static void requireOnCpu(String operation, List<Named> tensors) {
        for (Named n : tensors) requireOnCpu(operation, n.name(), n.tensor());
    }

    public static void requireOnCpu(String operation, String name, org.bytedeco.pytorch.Tensor tensor) {
        if (tensor.device().is_cpu()) return;
        throw new TrainingException(operation + " is for tensors in the CPU's memory, and " + name + " is on "
                + tensor.device().str().getString());
    }

    /// Returns 0 for a tensor without numbers.
    public static long addressOf(TensorBase tensor) {
        Pointer data = tensor.data_ptr();
        return data == null ? 0 : data.address();
    }

    public static DType type(String name, TensorBase tensor) {
        ScalarType type = tensor.scalar_type().intern();
        return switch (type) {
            case Double -> DType.F64;
            case Float -> DType.F32;
            case Half -> DType.F16;
            case BFloat16 -> DType.BF16;
            case Float8_e4m3fn -> DType.F8_E4M3;
            case Float8_e5m2 -> DType.F8_E5M2;
            case Long -> DType.I64;
            case Int -> DType.I32;
            case Short -> DType.I16;
            case Char -> DType.I8;
            case UInt64 -> DType.U64;
            case UInt32 -> DType.U32;
            case UInt16 -> DType.U16;
            case Byte -> DType.U8;
            case Bool -> DType.BOOL;
            default ->
                throw new TrainingException(name + " is of " + type + ", which no checkpoint or message can hold");
        };
    }

    public static DType type(Named named) {
        return type(named.name, named.tensor);
    }

    /// Returns a tensor over `memory`. The memory must outlive the tensor.
    public static org.bytedeco.pytorch.Tensor over(MemorySegment memory, DType type) {
        return over(memory, type, memory.byteSize() / type.sizeBytes());
    }

    /// As [#over(MemorySegment, DType)], with a shape.
    public static org.bytedeco.pytorch.Tensor over(MemorySegment memory, DType type, long... shape) {
        try (PointerScope scope = new PointerScope()) {
            org.bytedeco.pytorch.Tensor made = torch.from_blob(pointer(memory), shape, new TensorOptions(scalar(type)));
            made.retainReference();
            return made;
        }
    }

    /// Returns a tensor over a part of an existing tensor's memory. The memory must outlive the result; the
    /// result is not a view.
    public static org.bytedeco.pytorch.Tensor over(
            org.bytedeco.pytorch.Tensor whole, long offsetBytes, DType type, long... shape) {
        try (PointerScope scope = new PointerScope()) {
            Pointer at = new Address(addressOf(whole) + offsetBytes);
            org.bytedeco.pytorch.Tensor made = torch.from_blob(at, shape, options(type, whole.device()));
            made.retainReference();
            return made;
        }
    }

    public static TensorOptions options(DType type, Device device) {
        return new TensorOptions(scalar(type)).device(new DeviceOptional(device));
    }

    public static ScalarType scalar(DType type) {
        return switch (type) {
            case F64 -> ScalarType.Double;
            case F32 -> ScalarType.Float;
            case I64 -> ScalarType.Long;
            case I32 -> ScalarType.Int;
            case U64 -> ScalarType.UInt64;
            case U32 -> ScalarType.UInt32;
            case U16 -> ScalarType.UInt16;
            case U8 -> ScalarType.Byte;
            case F16 -> ScalarType.Half;
            case BF16 -> ScalarType.BFloat16;
            case F8_E4M3 -> ScalarType.Float8_e4m3fn;
            case F8_E5M2 -> ScalarType.Float8_e5m2;
            case I16 -> ScalarType.Short;
            case I8 -> ScalarType.Char;
            case BOOL -> ScalarType.Bool;
        };
    }

    /// Returns a pointer to native memory; the memory must outlive the pointer.
    public static Pointer pointer(MemorySegment memory) {
        return new Address(memory.address());
    }

    private static final class Address extends Pointer {
        Address(long of) {
            address = of;
        }
    }
}
