/// Devices, device memory, kernels compiled at run time, and communication of device memory.
@NullMarked
package org.tutti.device;

import org.jspecify.annotations.NullMarked;
