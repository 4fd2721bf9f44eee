/// 16-bit floating-point numbers, which Java does not have. Not exported.
@NullMarked
package org.tutti.train.number;

import org.jspecify.annotations.NullMarked;
