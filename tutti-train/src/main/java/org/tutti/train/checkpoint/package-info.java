/// Tensors on disk, so that a run that was killed at any moment goes on from the newest whole state.
///
///     Safetensors   one file of named tensors, as Python's safetensors reads and writes it
///     Checkpoints   a directory of them: written whole or not at all, checked before they are used
///
/// For one process; where ranks train together, rank 0 writes and all read.
@NullMarked
package org.tutti.train.checkpoint;

import org.jspecify.annotations.NullMarked;
