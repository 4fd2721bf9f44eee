/// One model, trained on many processes, and the certainty that it is one model.
///
///     ProcessGroup             who takes part, and what they say to each other
///     DistributedSampler       which samples each rank sees
///     BatchLoader              reads them by threads, some batches ahead
///     DistributedDataParallel  gradients are the mean over all samples of all ranks
///     ReplicaGuard             says which rank's parameters have gone another way
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
/// Where there is no MPI, ranks find each other by torchrun's variables ([org.tutti.train.Rendezvous]), over a
/// [org.tutti.train.Backend] that a tensor library's adapter brings.
///
/// Knows no device: groups that reach their memory, over NCCL for instance, are of
/// `org.tutti.train.device`, which is found as an [org.tutti.train.AcceleratorBackend].
///
/// Knows no tensor library: what a model must show is [org.tutti.train.model.DataParallelModel]. Not
/// here yet: a number of ranks that changes while a training runs.
@NullMarked
package org.tutti.train;

import org.jspecify.annotations.NullMarked;
