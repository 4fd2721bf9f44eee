/// Tensors on disk, so that a run that was killed at any moment goes on from the newest whole state.
///
///     Safetensors   one file of named tensors, as Python's safetensors reads and writes it
///     Checkpoints   a directory of them: written whole or not at all, checked before they are used
///     ModelFiles    a model as others publish it
///
/// Where ranks train together, rank 0 writes, or each rank its part, and all read. Behind Checkpoints:
///
///     Saving ──files──▶ Store ──JSON──▶ Manifest        one save, by a thread of its own if wanted
///     CheckpointTransfer                                files for machines that do not have them
///
/// Not here: parts of ranks that share no file system.
@NullMarked
package org.tutti.train.checkpoint;

import org.jspecify.annotations.NullMarked;
