/// Tensors on disk, so that a run that was killed at any moment continues from the newest valid state.
///
///     Safetensors   one file of named tensors, compatible with Python's safetensors
///     Checkpoints   a directory of these files: each checkpoint is complete or ignored, and is checked before use
///     ModelFiles    a published model: one file, or several with an index
///     DurableFile   replaces a file; after a crash, the previous or the new version exists
///
/// When ranks train together, rank 0 writes, or each rank writes a part, and all ranks read. Implementation of
/// Checkpoints:
///
///     Saving ──files──▶ Store ──JSON──▶ Manifest        one save, optionally on a separate thread
///     CheckpointTransfer                                files for machines without access to the directory
///
/// Not implemented: parts of ranks without a shared file system.
@NullMarked
package org.tutti.train.checkpoint;

import org.jspecify.annotations.NullMarked;
