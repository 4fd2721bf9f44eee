/// Trains models of libtorch, PyTorch's core in C++, on many processes.
///
///     TorchModel   shows a Module's parameters and gradients to DistributedDataParallel
///     TorchState   a Module and its optimizer as tensors of a checkpoint
///     Gloo         a group of processes without MPI, by torchrun's variables
///
///     try (ProcessGroup group = ProcessGroup.init()) {
///         Module net = …;
///         DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
///         SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.05));
///         for (Batch batch : sampler.batches(64)) {
///             try (Step step = ddp.step(batch.size())) {
///                 optimizer.zero_grad();
///                 cross_entropy(net.forward(x), y).backward();    // buckets travel meanwhile
///                 step.sync();
///                 optimizer.step();
///             }
///         }
///     }
///
/// What a step makes natively is freed at its end. The jars of `org.bytedeco` hold libtorch itself; nothing
/// is downloaded when a program runs.
@NullMarked
package org.tutti.train.torch;

import org.jspecify.annotations.NullMarked;
