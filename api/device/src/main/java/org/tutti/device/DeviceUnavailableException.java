package org.tutti.device;

/// No such device exists, or the device cannot be opened. If a search was made, the message contains the result.
public final class DeviceUnavailableException extends DeviceException {
    private static final long serialVersionUID = 1;

    DeviceUnavailableException(String message) {
        super(message);
    }
}
