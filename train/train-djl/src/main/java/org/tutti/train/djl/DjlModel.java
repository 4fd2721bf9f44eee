package org.tutti.train.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import ai.djl.nn.Block;
import ai.djl.nn.Parameter;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.util.Pair;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.train.TrainingException;
import org.tutti.train.model.CpuModel;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// The tensors of a DJL block, in libtorch's memory without copies. The trained tensors are the block's
/// parameters in the order and with the names of [Block#getParameters]. A batch norm's running means are
/// buffers, and other parameters without a gradient are frozen. DJL does not report when a gradient is final,
/// so all gradients are read after backward. DJL's optimizers set gradients to zero but do not remove them.
/// Therefore, a parameter that backward has reached once counts as reached in every later step.
public final class DjlModel implements CpuModel {
    private record Trained(Parameter parameter, PtNDArray array) {}

    private final List<Trained> trained = new ArrayList<>();
    private final List<Trained> untrained = new ArrayList<>();
    private final List<Tensor> parameters = new ArrayList<>();
    private final List<Tensor> frozen = new ArrayList<>();
    private final List<Tensor> buffers = new ArrayList<>();

    /// The memory of the gradients that were read in the current step. It remains at the same address until the
    /// end of the step.
    private final @Nullable MemorySegment[] gradients;

    private final List<NDArray> held = new ArrayList<>();

    private DjlModel(Block block) {
        Set<Parameter> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Pair<String, Parameter> named : block.getParameters()) {
            Parameter parameter = named.getValue();
            if (!seen.add(parameter)) continue; // used in two places: one tensor
            if (!parameter.isInitialized()) {
                throw new TrainingException("parameter " + named.getKey()
                        + " has no numbers yet; call initialize(shapes)" + " of the trainer or the block first");
            }
            if (!(parameter.getArray() instanceof PtNDArray array)) {
                throw new TrainingException("parameter " + named.getKey() + " is not of DJL's PyTorch engine but "
                        + parameter.getArray().getManager().getEngine().getEngineName());
            }
            TensorSpec spec = spec(named.getKey(), array);
            Tensor tensor = new Tensor(spec, memory(array, spec));
            (parameter.requiresGradient() ? trained : untrained).add(new Trained(parameter, array));
            if (parameter.requiresGradient()) parameters.add(tensor);
            else (isBuffer(parameter) ? buffers : frozen).add(tensor);
        }
        gradients = new @Nullable MemorySegment[trained.size()];
    }

    /// Returns the current tensors of the block. If parameters are frozen, unfrozen or loaded later, create a
    /// new model.
    ///
    /// @throws TrainingException if the block is not initialized, or does not use the PyTorch engine of DJL
    public static DjlModel of(Block block) {
        return new DjlModel(block);
    }

    /// Returns whether the parameter is changed by forward, and not by an optimizer.
    private static boolean isBuffer(Parameter parameter) {
        return parameter.getType() == Parameter.Type.RUNNING_MEAN || parameter.getType() == Parameter.Type.RUNNING_VAR;
    }

    /// Returns an array's contents as a tensor, without a copy.
    static Tensor tensor(String name, NDArray array) {
        TensorSpec spec = spec(name, array);
        return new Tensor(spec, memory(array, spec));
    }

    /// Returns a copy of an array; the array need not be contiguous.
    static Tensor copy(String name, NDArray array) {
        TensorSpec spec = spec(name, array);
        if (spec.sizeBytes() == 0) return new Tensor(spec, MemorySegment.ofArray(new byte[0]));
        return new Tensor(spec, MemorySegment.ofBuffer(array.toByteBuffer()));
    }

    static DataType dataType(DType type) {
        return switch (type) {
            case F64 -> DataType.FLOAT64;
            case F32 -> DataType.FLOAT32;
            case F16 -> DataType.FLOAT16;
            case BF16 -> DataType.BFLOAT16;
            case I64 -> DataType.INT64;
            case I32 -> DataType.INT32;
            case I16 -> DataType.INT16;
            case I8 -> DataType.INT8;
            case U8 -> DataType.UINT8;
            case BOOL -> DataType.BOOLEAN;
            case F8_E4M3, F8_E5M2, U64, U32, U16 -> throw new TrainingException("DJL has no arrays of " + type);
        };
    }

    private static TensorSpec spec(String name, NDArray array) {
        if (array.getDevice().isGpu()) {
            throw new TrainingException(
                    "parameter " + name + " is on " + array.getDevice() + "; make the model with Device.cpu()");
        }
        List<Long> shape = Arrays.stream(array.getShape().getShape()).boxed().toList();
        return new TensorSpec(name, type(name, array.getDataType()), shape);
    }

    private static DType type(String name, DataType type) {
        return switch (type) {
            case FLOAT64 -> DType.F64;
            case FLOAT32 -> DType.F32;
            case FLOAT16 -> DType.F16;
            case BFLOAT16 -> DType.BF16;
            case INT64 -> DType.I64;
            case INT32 -> DType.I32;
            case INT16 -> DType.I16;
            case INT8 -> DType.I8;
            case UINT8 -> DType.U8;
            case BOOLEAN -> DType.BOOL;
            default -> throw new TrainingException("parameter " + name + " of type " + type + " cannot be trained");
        };
    }

    /// Returns the memory of an array. For a non-contiguous array, DJL creates a new copy in every call.
    private static MemorySegment memory(NDArray array, TensorSpec spec) {
        if (spec.sizeBytes() > Integer.MAX_VALUE) {
            throw new TrainingException(
                    spec + " has " + spec.sizeBytes() + " bytes; DJL shows at most " + Integer.MAX_VALUE);
        }
        ByteBuffer there = array.toByteBuffer(true);
        MemorySegment data = MemorySegment.ofBuffer(there);
        if (data.address() != MemorySegment.ofBuffer(array.toByteBuffer(true)).address()) {
            throw new TrainingException(spec + " is not contiguous in memory; set a copy as the parameter");
        }
        return data;
    }

    @Override
    public List<Tensor> parameters() {
        return Collections.unmodifiableList(parameters);
    }

    @Override
    public List<Tensor> frozen() {
        return Collections.unmodifiableList(frozen);
    }

    @Override
    public List<Tensor> buffers() {
        return Collections.unmodifiableList(buffers);
    }

    /// Returns whether nothing has changed since this model was created: the parameters have the same arrays,
    /// and the same parameters are trained.
    boolean isCurrent() {
        for (Trained t : trained) if (!t.parameter.requiresGradient() || isOther(t)) return false;
        for (Trained t : untrained) if (t.parameter.requiresGradient() || isOther(t)) return false;
        return true;
    }

    private static boolean isOther(Trained t) {
        return !t.parameter.isInitialized() || t.parameter.getArray() != t.array;
    }

    @Override
    public @Nullable MemorySegment gradient(int i) {
        MemorySegment known = gradients[i];
        if (known != null) return known;
        PtNDArray gradient = JniUtils.getGradient(trained.get(i).array);
        if (gradient == null) return null;
        held.add(gradient);
        MemorySegment data = memory(gradient, parameters.get(i).spec());
        gradients[i] = data;
        return data;
    }

    /// Creates the gradient by a backward pass, because DJL cannot set a gradient.
    @Override
    public MemorySegment createGradient(int i) {
        PtNDArray array = trained.get(i).array;
        boolean was = JniUtils.isGradMode();
        JniUtils.setGradMode(true);
        try (PtNDArray sum = array.sum();
                PtNDArray one = (PtNDArray) sum.onesLike()) {
            JniUtils.backward(sum, one, false, false);
        } finally {
            JniUtils.setGradMode(was);
        }
        MemorySegment made = gradient(i);
        if (made == null)
            throw new IllegalStateException(
                    "no gradient of " + parameters.get(i).name() + " after backward");
        made.fill((byte) 0);
        return made;
    }

    @Override
    public AutoCloseable openStep() {
        return this::letGo;
    }

    private void letGo() {
        Arrays.fill(gradients, null);
        held.forEach(NDArray::close);
        held.clear();
    }
}
