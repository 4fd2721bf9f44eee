/// The files of `torch.export.save`, version 8 of the format, as records. This package does not call libtorch.
///
/// @see <a href="https://github.com/pytorch/pytorch/blob/v2.13.0/torch/_export/serde/schema.py">the format</a>
@NullMarked
package org.tutti.train.torch.graph.file;

import org.jspecify.annotations.NullMarked;
