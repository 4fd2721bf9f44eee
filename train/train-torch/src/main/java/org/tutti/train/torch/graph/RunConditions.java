package org.tutti.train.torch.graph;

import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.global.torch.DeviceType;
import org.jspecify.annotations.Nullable;
import org.tutti.train.ProcessGroup;

/// The conditions of a run, in addition to inputs and weights.
///
/// @param batchNormGroup the ranks that compute batch norm together, or null
record RunConditions(
        boolean isTraining, OnDevice device, @Nullable ProcessGroup batchNormGroup) {
    /// @param value of type `Device`
    record OnDevice(DeviceType type, int index, IValue value) {
        static OnDevice of(Device device) {
            IValue value = new IValue(device);
            value.retainReference();
            return new OnDevice(device.type().intern(), device.index(), value);
        }

        boolean isCpu() {
            return type == DeviceType.CPU;
        }

        boolean is(Device device) {
            return device.type().intern() == type && device.index() == index;
        }
    }
}
