package org.tutti.device;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.mpi.Datatype;

/// A buffer on each device of a [Devices], all of the same type and length: the parts of a whole, or as
/// many copies of it.
public final class ShardedBuffer {
    private final Devices devices;
    private final List<DeviceBuffer> shards;

    /// @param shards in the order of the devices, which the caller has checked
    ShardedBuffer(Devices devices, List<DeviceBuffer> shards) {
        this.devices = devices;
        this.shards = List.copyOf(shards);
    }

    Devices devices() {
        return devices;
    }

    /// The buffers, in the order of the devices.
    public List<DeviceBuffer> shards() {
        return shards;
    }

    /// The buffer of the device with this number.
    public DeviceBuffer shard(int device) {
        return shards.get(device);
    }

    public Datatype type() {
        return shards.getFirst().type();
    }

    /// How many elements each device has.
    public long shardCount() {
        return shards.getFirst().count();
    }

    /// How many elements all devices have together.
    public long count() {
        return shards.size() * shardCount();
    }

    /// All elements, those of the first device first, after what was given to the devices with them.
    public float[] toFloats() {
        float[] values = new float[length(Datatype.FLOAT)];
        copyTo(MemorySegment.ofArray(values));
        return values;
    }

    /// As [#toFloats].
    public double[] toDoubles() {
        double[] values = new double[length(Datatype.DOUBLE)];
        copyTo(MemorySegment.ofArray(values));
        return values;
    }

    /// As [#toFloats].
    public int[] toInts() {
        int[] values = new int[length(Datatype.INT)];
        copyTo(MemorySegment.ofArray(values));
        return values;
    }

    /// As [#toFloats].
    public long[] toLongs() {
        long[] values = new long[length(Datatype.LONG)];
        copyTo(MemorySegment.ofArray(values));
        return values;
    }

    private int length(Datatype asked) {
        if (type() != asked) throw new DeviceException("shards of " + type() + " have no values of " + asked);
        if (count() > Integer.MAX_VALUE - Long.BYTES) {
            throw new DeviceException(count() + " elements are too many for an array");
        }
        return (int) count();
    }

    private void copyTo(MemorySegment all) {
        long bytes = shards.getFirst().byteSize();
        for (int i = 0; i < shards.size(); i++) shards.get(i).copyTo(all.asSlice(i * bytes, bytes), 0);
    }

    /// Frees the buffers of all devices, which were not freed before.
    public void free() {
        for (DeviceBuffer each : shards) each.free();
    }

    /// For errors.
    @Override
    public String toString() {
        return shards.size() + " × " + shardCount() + " " + type();
    }
}
