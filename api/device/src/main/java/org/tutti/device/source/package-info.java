/// Kernel sources: the kernels of a source, and the parameters of each kernel.
///
/// Rule: this package is independent of devices and compilers.
@NullMarked
package org.tutti.device.source;

import org.jspecify.annotations.NullMarked;
