package org.tutti.device;

/// No such device exists. The message contains the result of the search.
public final class DeviceUnavailableException extends DeviceException {
    private static final long serialVersionUID = 1;

    DeviceUnavailableException(String message) {
        super(message);
    }
}
