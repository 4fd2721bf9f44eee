/// The interface to a model: tensors, the location of the numbers, and notifications about gradients. Adapters
/// to tensor libraries implement [org.tutti.train.model.DataParallelModel].
@NullMarked
package org.tutti.train.model;

import org.jspecify.annotations.NullMarked;
