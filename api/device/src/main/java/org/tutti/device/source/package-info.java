/// Sources of kernels: which kernels they have, with which parameters.
///
/// Rules: knows no device and no compiler.
@NullMarked
package org.tutti.device.source;

import org.jspecify.annotations.NullMarked;
