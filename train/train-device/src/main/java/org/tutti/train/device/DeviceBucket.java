package org.tutti.train.device;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.DeviceStream;
import org.tutti.mpi.Datatype;
import org.tutti.train.model.DeferredBucket;
import org.tutti.train.model.TensorStorage;

/// Gradients that are copied into a buffer and back, on a separate stream of the model ([DeviceModel#side]).
/// The device orders operations on the same buffer across streams, so the separate stream waits for the work of
/// backward, and later work on these gradients waits for the separate stream.
final class DeviceBucket implements DeferredBucket {
    private final DeviceModel model;
    private final GradientKernels kernels;
    private final DeviceStream stream;
    private final int[] parameters;

    /// Null with one rank.
    private final @Nullable DeviceStorage storage;

    /// With several ranks, a slice of `storage` for each gradient; with one rank, the gradients of the model.
    private final List<DeviceBuffer> slots = new ArrayList<>();

    /// The buffers to check and scale, each in one operation: with several ranks, one buffer that contains all
    /// slots; with one rank, the slots.
    private final List<DeviceBuffer> wholes;

    private final DeviceBuffer mark;

    DeviceBucket(DeviceModel model, Datatype type, List<Integer> chosen, boolean isSingleRank) {
        this.model = model;
        kernels = model.kernels(type);
        stream = model.side();
        parameters = chosen.stream().mapToInt(i -> i).toArray();
        Device device = model.device();
        if (isSingleRank) {
            storage = null;
            for (int p : parameters) slots.add(model.gradient(p));
            wholes = slots;
            mark = device.zeros(type, 1);
            return;
        }
        long count = 0;
        for (int p : parameters) count += model.gradient(p).count();
        DeviceBuffer all = device.zeros(type, count + 1);
        long at = 0;
        for (int p : parameters) {
            long length = model.gradient(p).count();
            slots.add(all.slice(at, length));
            at += length;
        }
        storage = new DeviceStorage(all);
        wholes = List.of(all.slice(0, count));
        mark = all.slice(count, 1);
    }

    @Override
    public TensorStorage storage() {
        return storage == null ? TensorStorage.of(MemorySegment.NULL) : storage;
    }

    @Override
    public void put(int place) {
        if (storage == null) return;
        if (model.hasGradient(parameters[place])) {
            slots.get(place).copyFrom(model.gradient(parameters[place]), stream);
        } else {
            slots.get(place).clear();
        }
    }

    @Override
    public void take(int place) {
        if (storage != null) model.gradient(parameters[place]).copyFrom(slots.get(place), stream);
        model.taken(parameters[place]);
    }

    @Override
    public void markUnlessFinite() {
        kernels.clear(mark, stream);
        for (DeviceBuffer each : wholes) kernels.markUnlessFinite(each, mark, stream);
    }

    @Override
    public boolean wasFinite(int place) {
        int parameter = parameters[place];
        return !model.hasGradient(parameter) || kernels.isFinite(model.gradient(parameter), stream);
    }

    @Override
    public boolean isFinite() {
        for (DeviceBuffer each : wholes) if (!kernels.isFinite(each, stream)) return false;
        return true;
    }

    @Override
    public boolean isFinite(int place) {
        return kernels.isFinite(slots.get(place), stream);
    }

    @Override
    public void scale(double factor) {
        for (DeviceBuffer each : wholes) kernels.scale(each, factor, stream);
    }

    @Override
    public void setMark(boolean set) {
        mark.fill(set ? 1.0 : 0.0);
    }

    @Override
    public int markCount() {
        return (int) kernels.value(mark);
    }

    /// Frees the memory. The gradients remain valid, because the model stores them in other memory.
    @Override
    public void close() {
        if (storage == null) mark.free();
        else storage.free();
    }
}
