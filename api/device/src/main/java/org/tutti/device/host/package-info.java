/// The backend that is always there: memory of this process, kernels in Java. Whatever it is given is
/// done when the call returns.
@NullMarked
package org.tutti.device.host;

import org.jspecify.annotations.NullMarked;
