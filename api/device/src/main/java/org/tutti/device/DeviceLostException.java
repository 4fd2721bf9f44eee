package org.tutti.device;

/// The device is no longer usable by this process: an earlier kernel accessed invalid memory, or the device was
/// removed. All later calls throw this exception, and the content of device memory is lost.
public final class DeviceLostException extends DeviceException {
    private static final long serialVersionUID = 1;

    DeviceLostException(String message, Throwable cause) {
        super(message, cause);
    }
}
