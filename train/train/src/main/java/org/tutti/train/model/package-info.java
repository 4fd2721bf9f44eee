/// What a model shows of itself: its tensors, where their numbers lie, and when a gradient is there. Adapters
/// to tensor libraries implement [org.tutti.train.model.DataParallelModel].
@NullMarked
package org.tutti.train.model;

import org.jspecify.annotations.NullMarked;
