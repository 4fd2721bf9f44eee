package org.tutti.device;

/// What went wrong on a device or in a call to one: which device, the values, and what to do.
public class DeviceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DeviceException(String message) {
        super(message);
    }

    DeviceException(String message, Throwable cause) {
        super(message, cause);
    }
}
