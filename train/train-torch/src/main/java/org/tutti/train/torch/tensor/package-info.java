/// Access to libtorch and to the memory of tensors, for the packages of this module. Not exported.
///
///     LibTorch   loads the native library and sets the number of threads
///     Tensors    converts between libtorch's tensors, named tensors of a module and memory, without copies
///     Fit        matches the tensors of a file with the tensors of a module
@NullMarked
package org.tutti.train.torch.tensor;

import org.jspecify.annotations.NullMarked;
