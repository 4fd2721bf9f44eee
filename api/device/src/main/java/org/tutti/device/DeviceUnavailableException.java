package org.tutti.device;

/// There is no such device. The message contains the result of the search.
public final class DeviceUnavailableException extends DeviceException {
    private static final long serialVersionUID = 1;

    DeviceUnavailableException(String message) {
        super(message);
    }
}
