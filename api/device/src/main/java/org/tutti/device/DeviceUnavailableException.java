package org.tutti.device;

/// There is no such device. The message has every place that was looked at, with what was there.
public final class DeviceUnavailableException extends DeviceException {
    private static final long serialVersionUID = 1;

    DeviceUnavailableException(String message) {
        super(message);
    }
}
