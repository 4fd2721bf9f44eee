/// The interface between the module's core and a kind of devices. A backend is a package that implements
/// [DeviceBackend] and [DeviceDriver], and has a line in the service lists; no code refers to a backend by
/// name.
///
///     Device, DeviceBuffer, Kernel (org.tutti.device) ──▶ DeviceDriver ◀── org.tutti.device.host, .opencl, …
///
/// Rules: the core checks everything that can be checked in Java, so a driver only calls the library. A
/// capability that only some kinds have is a separate interface, which a driver implements in addition to
/// [DeviceDriver].
@NullMarked
package org.tutti.device.spi;

import org.jspecify.annotations.NullMarked;
