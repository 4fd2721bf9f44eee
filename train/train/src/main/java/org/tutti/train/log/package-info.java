/// The log of a training: [org.tutti.train.log.TrainingLog] prints lines and writes rows, curves for
/// TensorBoard and a plot of the loss.
@NullMarked
package org.tutti.train.log;

import org.jspecify.annotations.NullMarked;
