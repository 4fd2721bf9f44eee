/// Reads the pickles in which libtorch and PyTorch describe tensors. Not exported.
@NullMarked
package org.tutti.train.torch.pickle;

import org.jspecify.annotations.NullMarked;
