package org.tutti.device;

/// A device can no longer be used by this process: an earlier kernel accessed memory that is none, or the
/// device is gone. Each later call throws this, too; what lies in its memory is lost.
public final class DeviceLostException extends DeviceException {
    private static final long serialVersionUID = 1;

    DeviceLostException(String message, Throwable cause) {
        super(message, cause);
    }
}
