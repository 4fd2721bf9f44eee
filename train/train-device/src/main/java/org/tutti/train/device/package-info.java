/// Data-parallel training of models whose parameters and gradients are in the memory of devices.
///
///     DeviceGroup   a group of ranks, each with its device: messages reach both memories
///     DeviceModel   parameters and gradients as buffers, shown to DistributedDataParallel
///
///     backward, device.stream() ─▶ gradients ─▶ bucket, a stream of its own ─▶ sum ─▶ gradients ─▶ optimizer
///                                                  by NCCL or RCCL, memory that ranks share, or pinned
///                                                  memory of the host and the messages of the group below
///
///     try (DeviceGroup group = DeviceGroup.init()) {
///         Device device = group.device();
///         DeviceModel model = DeviceModel.of(device);
///         DeviceBuffer weights = device.zeros(Datatype.FLOAT, 640);
///         int w = model.add("fc.weight", weights, 10, 64);
///         DistributedDataParallel ddp = DistributedDataParallel.of(model, group);
///         try (Step step = ddp.step(batch)) {
///             … kernels that add to model.gradient(w) …
///             model.markReady(w);
///             step.sync();
///             device.arrays().axpy(-rate, model.gradient(w), weights);
///         }
///     }
///
/// `FLOAT` and `DOUBLE`. Not here: gradients of 16 bits, and hooks that read what they send
/// ([org.tutti.train.HalfPrecision]); NCCL where torchrun's variables alone have started the ranks.
@NullMarked
package org.tutti.train.device;

import org.jspecify.annotations.NullMarked;
