package org.tutti.device;

/// A failure on a device, or in a call to a device. The message names the device and the values, and suggests a
/// remedy.
public class DeviceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DeviceException(String message) {
        super(message);
    }

    DeviceException(String message, Throwable cause) {
        super(message, cause);
    }
}
