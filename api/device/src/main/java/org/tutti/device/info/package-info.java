/// Attributes of devices, which are available before a device is opened.
@NullMarked
package org.tutti.device.info;

import org.jspecify.annotations.NullMarked;
