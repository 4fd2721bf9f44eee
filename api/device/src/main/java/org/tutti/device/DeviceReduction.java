package org.tutti.device;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.device.ElementwiseOp.Binary;
import org.tutti.mpi.Datatype;

/// An element-by-element reduction over the shards of several devices. Each device combines one part of every
/// shard, in device order, and then copies the other parts from the other devices. With `n` devices, each
/// device copies `2 (n - 1) / n` of a shard.
///
///     reduce    device 1 of 3:  . 1 .   ◀── part 1 of shards 0, 1 and 2
///     collect   device 1 of 3:  0 1 2   ◀── part 0 of device 0, part 2 of device 2
final class DeviceReduction {
    private final Devices devices;

    /// Guards `scratch`.
    private final ReentrantLock lock = new ReentrantLock();

    /// For each device, memory for two parts: the result and the next operand. It is allocated as bytes, so
    /// that calls with other types can reuse it.
    private final @Nullable DeviceBuffer[] scratch;

    DeviceReduction(Devices devices) {
        this.devices = devices;
        scratch = new DeviceBuffer[devices.count()];
    }

    private long first(ShardedBuffer x, int part) {
        return x.shardCount() / devices.count() * part + Math.min(part, x.shardCount() % devices.count());
    }

    private DeviceBuffer part(ShardedBuffer x, int shard, int part) {
        long first = first(x, part);
        return x.shard(shard).slice(first, first(x, part + 1) - first);
    }

    /// Computes part `i` of the result on each device `i`.
    void reduce(ShardedBuffer x, Binary op) {
        lock.lock();
        try {
            devices.onEach("allreduce", i -> {
                DeviceBuffer own = part(x, i, i);
                long bytes = Math.ceilDiv(own.byteSize(), Long.BYTES) * Long.BYTES; // aligns both halves
                DeviceBuffer block = scratch(i, 2 * bytes),
                        result = like(own, block, 0),
                        next = like(own, block, bytes);
                result.copyFrom(part(x, 0, i));
                for (int shard = 1; shard < devices.count(); shard++) {
                    DeviceBuffer operand = shard == i ? own : next;
                    if (shard != i) next.copyFrom(part(x, shard, i));
                    devices.get(i).arrays().apply(op, result, operand, result);
                }
                own.copyFrom(result);
            });
        } finally {
            lock.unlock();
        }
    }

    private static DeviceBuffer like(DeviceBuffer own, DeviceBuffer block, long offsetBytes) {
        return new DeviceBuffer(own.owner(), block.memory(), offsetBytes, own.count(), own.type());
    }

    private DeviceBuffer scratch(int device, long bytes) {
        DeviceBuffer known = scratch[device];
        if (known != null && known.byteSize() >= bytes) return known;
        if (known != null) {
            scratch[device] = null; // the allocation below may fail
            known.free();
        }
        return scratch[device] = devices.get(device).allocate(Datatype.BYTE, bytes);
    }

    /// Copies the parts of all other devices to device `i`.
    void collect(ShardedBuffer x, int i) {
        for (int part = 0; part < devices.count(); part++) {
            if (part != i) part(x, i, part).copyFrom(part(x, part, part));
        }
    }
}
