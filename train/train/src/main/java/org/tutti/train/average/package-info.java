/// Averages of a model's parameters over the steps of a training: [org.tutti.train.average.AveragedModel].
@NullMarked
package org.tutti.train.average;

import org.jspecify.annotations.NullMarked;
