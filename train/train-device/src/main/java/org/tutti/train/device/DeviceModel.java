package org.tutti.train.device;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.DeviceStream;
import org.tutti.mpi.Datatype;
import org.tutti.train.model.DType;
import org.tutti.train.model.DataParallelModel;
import org.tutti.train.model.GradientBucket;
import org.tutti.train.model.GradientListener;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// A model in the memory of a device: named buffers, and a gradient buffer for each trained buffer. Forward,
/// backward and the optimizer are kernels of the program. Backward adds to the gradients and reports when a
/// gradient is final:
///
///     int w = model.add("fc.weight", weights, 10, 64);
///     … backward: kernels that add to model.gradient(w) …
///     model.markReady(w);
///
/// The host does not wait for the device, because the work for the average is queued after these kernels. No
/// events are needed between streams, since operations on a buffer are ordered.
///
/// Used by one thread at a time. The buffers belong to the device and are freed with it.
public final class DeviceModel implements DataParallelModel {
    private final Device device;
    private final DeviceStream side;
    private final List<Tensor> parameters = new ArrayList<>();
    private final List<DeviceBuffer> gradients = new ArrayList<>();

    /// For each parameter, whether backward has reached it since the gradients were last discarded.
    private boolean[] isThere = new boolean[0];

    private final List<Tensor> buffers = new ArrayList<>();
    private final List<Tensor> frozen = new ArrayList<>();
    private final Map<Datatype, GradientKernels> kernels = new HashMap<>();
    private @Nullable GradientListener listener;

    /// Whether a DistributedDataParallel already uses the model, so that no further parameters can be added.
    private boolean isComplete;
    private long version;

    private DeviceModel(Device device) {
        this.device = device;
        side = device.newStream();
    }

    /// Creates a model without parameters.
    public static DeviceModel of(Device device) {
        return new DeviceModel(device);
    }

    public Device device() {
        return device;
    }

    /// Adds a parameter and returns its number. Add the parameters in the order in which forward uses them. The
    /// gradient is a buffer of zeros.
    ///
    /// @param numbers `FLOAT` or `DOUBLE` values set by the program; the last dimension varies fastest
    public int add(String name, DeviceBuffer numbers, long... shape) {
        return add(name, numbers, device.zeros(numbers.type(), numbers.count()), shape);
    }

    /// As [#add(String, DeviceBuffer, long...)], with a buffer for the gradient, for example memory of a foreign
    /// library.
    public int add(String name, DeviceBuffer numbers, DeviceBuffer gradient, long... shape) {
        if (isComplete) {
            throw new IllegalStateException(name + " was added after DistributedDataParallel.of: it would not be"
                    + " averaged; add all parameters before");
        }
        if (numbers.type() != Datatype.FLOAT && numbers.type() != Datatype.DOUBLE) {
            throw new IllegalArgumentException(
                    "parameter " + name + " of " + numbers.type() + " cannot be averaged; FLOAT and DOUBLE can");
        }
        if (gradient.type() != numbers.type() || gradient.count() != numbers.count()) {
            throw new IllegalArgumentException("the gradient of " + name + " is " + gradient + ", the parameter "
                    + numbers + "; the type and the number of elements must be the same");
        }
        checkHere(name, gradient);
        parameters.add(tensor(name, numbers, shape));
        gradients.add(gradient);
        isThere = Arrays.copyOf(isThere, parameters.size());
        return parameters.size() - 1;
    }

    /// Adds an untrained tensor that changes during training, for example running means.
    public void addBuffer(String name, DeviceBuffer numbers, long... shape) {
        buffers.add(tensor(name, numbers, shape));
    }

    /// Adds a tensor that does not change.
    public void addFrozen(String name, DeviceBuffer numbers, long... shape) {
        frozen.add(tensor(name, numbers, shape));
    }

    private void checkHere(String name, DeviceBuffer buffer) {
        if (buffer.owner() == device) return;
        throw new IllegalArgumentException(name + " is on " + buffer.device() + ", and the model on " + device.id());
    }

    private Tensor tensor(String name, DeviceBuffer numbers, long... shape) {
        checkHere(name, numbers);
        List<Long> dimensions = Arrays.stream(shape).boxed().toList();
        return new Tensor(new TensorSpec(name, type(name, numbers), dimensions), new DeviceStorage(numbers));
    }

    private static DType type(String name, DeviceBuffer of) {
        if (of.type() == Datatype.FLOAT) return DType.F32;
        if (of.type() == Datatype.DOUBLE) return DType.F64;
        if (of.type() == Datatype.INT) return DType.I32;
        if (of.type() == Datatype.LONG) return DType.I64;
        throw new IllegalArgumentException(
                name + " has elements of " + of.type() + "; FLOAT, DOUBLE, INT and LONG are" + " known here");
    }

    /// Returns the gradient of parameter `i`, to which backward adds; zeros after [#zeroGrad].
    public DeviceBuffer gradient(int i) {
        return gradients.get(i);
    }

    /// Returns the values of parameter `i`.
    public DeviceBuffer parameter(int i) {
        return ((DeviceStorage) parameters.get(i).storage()).buffer();
    }

    /// Reports that all device work for the gradient of parameter `i` has been queued. Call it once per
    /// backward.
    public void markReady(int i) {
        isThere[i] = true;
        if (listener != null) listener.onReady(i);
    }

    /// Sets all gradients to zero, before a step that does not accumulate; returns immediately.
    public void zeroGrad() {
        gradients.forEach(DeviceBuffer::clear);
        Arrays.fill(isThere, false);
    }

    /// Computes `parameter -= rate * gradient` for all parameters with a gradient (plain stochastic gradient
    /// descent); returns immediately.
    public void sgdStep(double rate) {
        version++;
        for (int i = 0; i < isThere.length; i++) {
            if (isThere[i]) device.arrays().axpy(-rate, gradients.get(i), parameter(i));
        }
    }

    void taken(int i) {
        isThere[i] = true;
    }

    /// Returns the number of calls of [#sgdStep]; other writes to parameters on the device are not counted.
    @Override
    public long parameterVersion() {
        return version;
    }

    GradientKernels kernels(Datatype type) {
        return kernels.computeIfAbsent(type, t -> new GradientKernels(device, t));
    }

    /// Returns the stream on which gradients are copied to buckets and back.
    DeviceStream side() {
        return side;
    }

    @Override
    public List<Tensor> parameters() {
        return List.copyOf(parameters);
    }

    @Override
    public List<Tensor> buffers() {
        return List.copyOf(buffers);
    }

    @Override
    public List<Tensor> frozen() {
        return List.copyOf(frozen);
    }

    @Override
    public boolean hasGradient(int i) {
        return isThere[i];
    }

    @Override
    public void scaleGradient(int i, double factor) {
        kernels(gradients.get(i).type()).scale(gradients.get(i), factor, device.stream());
    }

    @Override
    public double squaredNorm(int i) {
        return kernels(gradients.get(i).type()).squares(List.of(gradients.get(i)), device.stream());
    }

    @Override
    public double squaredNorm(List<Integer> some) {
        double squares = 0;
        for (Datatype type : List.of(Datatype.FLOAT, Datatype.DOUBLE)) {
            List<DeviceBuffer> of = some.stream()
                    .map(gradients::get)
                    .filter(g -> g.type() == type)
                    .toList();
            if (!of.isEmpty()) squares += kernels(type).squares(of, device.stream());
        }
        return squares;
    }

    @Override
    public GradientBucket createBucket(List<Integer> chosen, @Nullable LongFunction<MemorySegment> memory) {
        isComplete = true;
        return new DeviceBucket(this, gradients.get(chosen.getFirst()).type(), chosen, memory == null);
    }

    @Override
    public boolean setGradientListener(GradientListener asks) {
        GradientListener before = listener;
        listener = asks;
        if (before != null) before.onReplaced();
        return true;
    }

    @Override
    public void removeGradientListener(GradientListener asked) {
        if (listener == asked) listener = null;
    }
}
