/// What a training run tells of itself: [org.tutti.train.log.TrainingLog] prints lines and keeps rows,
/// curves for TensorBoard and a plot of the loss.
@NullMarked
package org.tutti.train.log;

import org.jspecify.annotations.NullMarked;
