/// Devices: their memory, kernels that are compiled at run time, and messages of both.
@NullMarked
package org.tutti.device;

import org.jspecify.annotations.NullMarked;
