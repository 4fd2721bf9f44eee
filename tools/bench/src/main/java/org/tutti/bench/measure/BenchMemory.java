package org.tutti.bench.measure;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.plan.BufferElement;
import org.tutti.bench.plan.Storage;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Mpi;

/// Allocates the data of a measurement on this rank. Device memory is on the rank's device, which is opened for
/// the measurement.
public final class BenchMemory implements AutoCloseable {
    private final Mpi mpi;
    private final Storage storage;
    private final @Nullable Device device;
    private final String words;
    private final List<DeviceBuffer> ofSize = new ArrayList<>();

    private BenchMemory(Mpi mpi, Storage storage, @Nullable Device device, String words) {
        this.mpi = mpi;
        this.storage = storage;
        this.device = device;
        this.words = words;
    }

    /// Collective, because devices are assigned to all ranks.
    public static BenchMemory open(Mpi mpi, Storage storage) {
        if (storage != Storage.DEVICE) {
            return new BenchMemory(mpi, storage, null, storage == Storage.OBJECT ? "objects" : storage.word());
        }
        Device device = Device.forRank(mpi.world());
        LinkedHashSet<String> all = new LinkedHashSet<>(mpi.world()
                .allgatherObject(device.id() + " (" + device.attributes().name() + ")"));
        return new BenchMemory(mpi, storage, device, String.join(" and ", all));
    }

    public Mpi mpi() {
        return mpi;
    }

    /// Returns a description of the memory for reports; for device memory, the devices of all ranks.
    public String words() {
        return words;
    }

    /// Whether the data of the measurement is in device memory.
    public boolean isOfDevices() {
        return device != null;
    }

    /// Returns a new buffer.
    public Data data(BufferElement type, long count) {
        return switch (storage) {
            case HEAP -> heap(type, Math.toIntExact(count));
            case SEGMENT -> {
                MemorySegment memory = mpi.alloc(Math.multiplyExact(count, type.bytes()));
                yield new Data(Buf.buf(memory, type.datatype()), memory, type, count);
            }
            case DIRECT -> {
                int bytes = Math.toIntExact(Math.multiplyExact(count, type.bytes()));
                MemorySegment memory = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(bytes));
                yield new Data(Buf.buf(memory, type.datatype()), memory, type, count);
            }
            case DEVICE -> ofDevice(type, count);
            case OBJECT -> throw new IllegalArgumentException("objects have no buffer");
        };
    }

    private Data ofDevice(BufferElement type, long count) {
        if (device == null) throw new IllegalStateException("no device was opened");
        DeviceBuffer buffer = device.zeros(type.datatype(), count);
        ofSize.add(buffer);
        return new Data(Buf.buf(buffer), MemorySegment.NULL, type, count, buffer);
    }

    private static Data heap(BufferElement type, int count) {
        return switch (type) {
            case BYTE -> {
                byte[] a = new byte[count];
                yield new Data(Buf.buf(a), MemorySegment.ofArray(a), type, count);
            }
            case INT -> {
                int[] a = new int[count];
                yield new Data(Buf.buf(a), MemorySegment.ofArray(a), type, count);
            }
            case LONG -> {
                long[] a = new long[count];
                yield new Data(Buf.buf(a), MemorySegment.ofArray(a), type, count);
            }
            case FLOAT -> {
                float[] a = new float[count];
                yield new Data(Buf.buf(a), MemorySegment.ofArray(a), type, count);
            }
            case DOUBLE -> {
                double[] a = new double[count];
                yield new Data(Buf.buf(a), MemorySegment.ofArray(a), type, count);
            }
        };
    }

    /// Frees the buffers of a message size, because the garbage collector does not free device memory.
    public void free() {
        for (DeviceBuffer buffer : ofSize) buffer.free();
        ofSize.clear();
    }

    @Override
    public void close() {
        if (device != null) device.close();
    }
}
