/// What a training run tells of itself, in files that others read: curves for TensorBoard.
@NullMarked
package org.tutti.train.log;

import org.jspecify.annotations.NullMarked;
