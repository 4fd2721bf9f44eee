package org.tutti.device;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.mpi.Datatype;

/// One buffer on each device of a [Devices], all of the same type and length: parts of an array, or copies.
public final class ShardedBuffer {
    private final Devices devices;
    private final List<DeviceBuffer> shards;

    /// @param shards the buffers in device order, which the caller has checked
    ShardedBuffer(Devices devices, List<DeviceBuffer> shards) {
        this.devices = devices;
        this.shards = List.copyOf(shards);
    }

    Devices devices() {
        return devices;
    }

    /// Returns the buffers in device order.
    public List<DeviceBuffer> shards() {
        return shards;
    }

    /// Returns the buffer of the device with this index.
    public DeviceBuffer shard(int device) {
        return shards.get(device);
    }

    public Datatype type() {
        return shards.getFirst().type();
    }

    /// Returns the number of elements on each device.
    public long shardCount() {
        return shards.getFirst().count();
    }

    /// Returns the total number of elements on all devices.
    public long count() {
        return shards.size() * shardCount();
    }

    /// Waits for earlier work with the shards, and returns all elements in device order.
    public float[] toFloats() {
        float[] values = new float[length(Datatype.FLOAT)];
        copyTo(MemorySegment.ofArray(values));
        return values;
    }

    /// Like [#toFloats], for `double`.
    public double[] toDoubles() {
        double[] values = new double[length(Datatype.DOUBLE)];
        copyTo(MemorySegment.ofArray(values));
        return values;
    }

    /// Like [#toFloats], for `int`.
    public int[] toInts() {
        int[] values = new int[length(Datatype.INT)];
        copyTo(MemorySegment.ofArray(values));
        return values;
    }

    /// Like [#toFloats], for `long`.
    public long[] toLongs() {
        long[] values = new long[length(Datatype.LONG)];
        copyTo(MemorySegment.ofArray(values));
        return values;
    }

    private int length(Datatype asked) {
        if (type() != asked) throw new DeviceException("shards of " + type() + " cannot be read as " + asked);
        if (count() > Integer.MAX_VALUE - Long.BYTES) {
            throw new DeviceException(count() + " elements are too many for an array");
        }
        return (int) count();
    }

    private void copyTo(MemorySegment all) {
        long bytes = shards.getFirst().byteSize();
        for (int i = 0; i < shards.size(); i++) shards.get(i).copyTo(all.asSlice(i * bytes, bytes), 0);
    }

    /// Frees the buffers of all devices. No buffer may have been freed before.
    public void free() {
        for (DeviceBuffer each : shards) each.free();
    }

    /// Returns a description for error messages.
    @Override
    public String toString() {
        return shards.size() + " × " + shardCount() + " " + type();
    }
}
