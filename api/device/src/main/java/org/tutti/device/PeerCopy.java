package org.tutti.device;

import org.jspecify.annotations.Nullable;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.PeerMemory;

/// Copies that the driver performs directly between two devices.
final class PeerCopy {
    private PeerCopy() {}

    /// Queues the copy on `stream`, a stream of the device of `to`. If the driver cannot copy between the two
    /// devices, returns false without a copy.
    static boolean given(DeviceBuffer to, DeviceBuffer from, DeviceStream stream) {
        Device device = to.owner(), other = from.owner();
        PeerMemory peer = device.power(PeerMemory.class);
        return peer != null && other.reachedBy(peer) && copied(device, other, to, from, stream);
    }

    /// Queues the copy with the two devices locked. The device that was opened first is locked first, which
    /// prevents a deadlock.
    private static boolean copied(
            Device device, Device other, DeviceBuffer to, DeviceBuffer from, DeviceStream stream) {
        boolean isOlder = device.number < other.number;
        Device first = isOlder ? device : other, second = isOlder ? other : device;
        @Nullable
        DeviceFault fault = first.locked(x -> second.locked(y -> {
            try {
                give(isOlder ? x : y, isOlder ? y : x, to, from, stream);
                return null;
            } catch (DeviceFault f) {
                return f;
            }
        }));
        if (fault == null) return true;
        return device.locked(d -> {
            throw fault; // reported for this device, regardless of the order of locks
        });
    }

    private static void give(DeviceDriver d, DeviceDriver o, DeviceBuffer to, DeviceBuffer from, DeviceStream stream) {
        long target = to.usable(), source = from.usable();
        DeviceStream last = from.memory().last;
        DeviceStream its = last == null || last.isClosed() ? from.owner().stream() : last;
        long handle = to.owner().ordered(to.memory(), stream, d);
        long otherHandle = from.owner().ordered(from.memory(), its, o);
        if (to.count() > 0) ((PeerMemory) d).copyFrom(o, otherHandle, handle, target, source, to.byteSize());
    }
}
