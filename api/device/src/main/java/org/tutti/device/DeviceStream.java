package org.tutti.device;

/// A queue of device work: copies and kernels, which are executed in order. Different streams may execute
/// concurrently, but work with the same buffer is always executed in the order of the calls, on any stream. A
/// stream is closed with the device, or earlier by [#close].
public final class DeviceStream implements AutoCloseable {
    private final Device device;
    private final DriverHandle handle;
    private boolean closed;

    DeviceStream(Device device, long handle) {
        this.device = device;
        this.handle = new DriverHandle(handle);
    }

    /// Returns the driver's handle. Needs the device's lock.
    long handle() {
        return open().value();
    }

    /// Returns the handle to wait for. Needs the device's lock.
    DriverHandle open() {
        if (closed) throw new DeviceException(device.id() + ": this stream was closed");
        return handle;
    }

    Device device() {
        return device;
    }

    boolean isClosed() {
        return closed;
    }

    /// Waits until all work of the stream is complete.
    ///
    /// @throws DeviceException if any of this work failed
    public void synchronize() {
        device.waiting(this::open, (driver, stream) -> driver.synchronize(stream));
    }

    /// Returns an event that is complete when all previous work of the stream is complete.
    public Event record() {
        return device.locked(driver -> {
            Event event = new Event(device, driver.record(handle()));
            device.remember(event);
            return event;
        });
    }

    /// Orders all later work of the stream after an event of the same device. Returns immediately.
    public void await(Event event) {
        if (event.device() != device) {
            throw new DeviceException(
                    device.id() + ": the event is of " + event.device().id() + ", not of this device");
        }
        device.locked(driver -> {
            driver.await(handle(), event.handle());
            return null;
        });
    }

    /// Waits until all queued work is complete, and closes the stream. Has no effect on the device's default
    /// stream.
    @Override
    public void close() {
        device.closing(driver -> {
            if (closed || this == device.stream()) return;
            driver.synchronize(handle.value());
            closed = true;
            device.forget(this);
            handle.release(() -> driver.destroyStream(handle.value()));
        });
    }
}
