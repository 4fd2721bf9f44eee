package org.tutti.device;

/// A queue of work for a device: copies and kernels, done in the order in which they were given. What
/// several streams have may be done at the same time, except that work with one buffer is always done in
/// the order in which it was given, on whichever streams. It ends with its device, or earlier by
/// [#close].
public final class DeviceStream implements AutoCloseable {
    private final Device device;
    private final DriverHandle handle;
    private boolean closed;

    DeviceStream(Device device, long handle) {
        this.device = device;
        this.handle = new DriverHandle(handle);
    }

    /// Only with the device's lock.
    long handle() {
        return open().value();
    }

    /// The handle, to wait for. Only with the device's lock.
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

    /// Returns when all that the stream was given is done.
    ///
    /// @throws DeviceException when some of it failed
    public void synchronize() {
        device.waiting(this::open, (driver, stream) -> driver.synchronize(stream));
    }

    /// An event that is complete when all that the stream was given until now is done.
    public Event record() {
        return device.locked(driver -> {
            Event event = new Event(device, driver.record(handle()));
            device.remember(event);
            return event;
        });
    }

    /// Lets all that this stream is given from now on wait for an event of the same device; returns at
    /// once.
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

    /// Ends the stream when its work is done.
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
