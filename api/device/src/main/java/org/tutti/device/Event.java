package org.tutti.device;

/// A point in the work of a stream. [DeviceStream#record] creates an event; the event is released with the
/// device, or earlier by [#close].
public final class Event implements AutoCloseable {
    private final Device device;
    private final DriverHandle handle;
    private boolean closed;

    Event(Device device, long handle) {
        this.device = device;
        this.handle = new DriverHandle(handle);
    }

    Device device() {
        return device;
    }

    /// Returns the driver's handle. Needs the device's lock.
    long handle() {
        return open().value();
    }

    private DriverHandle open() {
        if (closed) throw new DeviceException(device.id() + ": this event was closed");
        return handle;
    }

    /// Returns whether the stream has completed all work queued before the event.
    public boolean isComplete() {
        return device.locked(driver -> driver.isComplete(handle()));
    }

    /// Waits until the stream has completed all work queued before the event.
    public void synchronize() {
        device.waiting(this::open, (driver, event) -> driver.synchronizeEvent(event));
    }

    @Override
    public void close() {
        device.closing(driver -> {
            if (closed) return;
            closed = true;
            device.forget(this);
            handle.release(() -> driver.releaseEvent(handle.value()));
        });
    }
}
