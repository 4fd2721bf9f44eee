/// Attributes of devices, which are known before a device is opened.
@NullMarked
package org.tutti.device.info;

import org.jspecify.annotations.NullMarked;
