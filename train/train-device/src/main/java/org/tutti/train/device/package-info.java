/// Data-parallel training of models with parameters and gradients in device memory.
///
///     DeviceGroup   a group of ranks, each with a device: messages access host and device memory
///     DeviceModel   parameters and gradients as buffers, for DistributedDataParallel
///
///     backward, device.stream() ─▶ gradients ─▶ bucket, separate stream ─▶ sum ─▶ gradients ─▶ optimizer
///                                                  by NCCL or RCCL, memory shared by the ranks, or pinned
///                                                  host memory and messages of the underlying group
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
/// Elements are `FLOAT` or `DOUBLE`. Not implemented: 16-bit gradients; hooks that read the data to be sent
/// ([org.tutti.train.HalfPrecision]); NCCL for ranks that were started with torchrun's variables only.
@NullMarked
package org.tutti.train.device;

import org.jspecify.annotations.NullMarked;
