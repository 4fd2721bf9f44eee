/// The backend that is always available: memory of this process, and kernels in Java. All work is complete when
/// a call returns.
@NullMarked
package org.tutti.device.host;

import org.jspecify.annotations.NullMarked;
