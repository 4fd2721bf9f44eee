/// Trains models of libtorch, PyTorch's core in C++, on several processes.
///
///     TorchModel   a Module's parameters and gradients for DistributedDataParallel
///     TorchState   a Module and the optimizer as tensors of a checkpoint
///     Gloo         a group of processes without MPI, by torchrun's variables
///
///     try (ProcessGroup group = ProcessGroup.init()) {
///         Module net = …;
///         DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
///         SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.05));
///         for (Batch batch : sampler.batches(64)) {
///             try (Step step = ddp.step(batch.size())) {
///                 optimizer.zero_grad();
///                 cross_entropy(net.forward(x), y).backward();    // buckets are sent meanwhile
///                 step.sync();
///                 optimizer.step();
///             }
///         }
///     }
///
/// Native objects of a step are freed at the end of the step. The jars of `org.bytedeco` contain libtorch; no
/// files are downloaded when a program runs.
@NullMarked
package org.tutti.train.torch;

import org.jspecify.annotations.NullMarked;
