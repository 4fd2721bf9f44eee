/// Trains one model on several processes, and guarantees that it remains one model.
///
///     ProcessGroup             the participating ranks and communication between the ranks
///     DistributedSampler       assigns samples to ranks
///     BatchLoader              reads samples with threads, some batches in advance
///     DistributedDataParallel  gradients are the mean over all samples of all ranks
///     ReplicaGuard             reports ranks with diverged parameters
///
///     try (ProcessGroup group = ProcessGroup.init()) {
///         DistributedDataParallel ddp = DistributedDataParallel.of(model, group);
///         DistributedSampler sampler = DistributedSampler.of(samples, group).withShuffle(42);
///         for (int epoch = 0; epoch < 10; epoch++) {
///             for (Batch batch : sampler.withEpoch(epoch).batches(64)) {
///                 try (Step step = ddp.step(batch.size())) {
///                     … forward and backward, with the loss as a mean over this rank's samples …
///                     step.sync();
///                     … the optimizer's step, the same on all ranks …
///                 }
///             }
///         }
///     }
///
/// Without MPI, ranks connect by torchrun's variables ([org.tutti.train.Rendezvous]), over a
/// [org.tutti.train.Backend] of a tensor library's adapter.
///
/// This package does not depend on devices: groups with access to device memory, for example over NCCL, are in
/// `org.tutti.train.device`, which is loaded as an [org.tutti.train.AcceleratorBackend].
///
/// It does not depend on a tensor library: the required view of a model is
/// [org.tutti.train.model.DataParallelModel]. Not implemented: a number of ranks that changes during a
/// training.
@NullMarked
package org.tutti.train;

import org.jspecify.annotations.NullMarked;
