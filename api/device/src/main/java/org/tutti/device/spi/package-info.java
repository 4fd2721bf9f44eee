/// What the core of the module asks of a kind of devices. A backend is a package that implements
/// [DeviceBackend] and [DeviceDriver], and a line in the lists of services; nobody names it.
///
///     Device, DeviceBuffer, Kernel (org.tutti.device) ──▶ DeviceDriver ◀── org.tutti.device.host, .opencl, …
///
/// Rules: what can be checked in Java is checked above this, so a driver does only what its library's
/// calls need. What only some kinds can do is an interface of its own, which a driver implements beside
/// [DeviceDriver].
@NullMarked
package org.tutti.device.spi;

import org.jspecify.annotations.NullMarked;
