/// Trains DJL models on several processes, on the CPU, with DJL's PyTorch engine.
///
///     DjlEngine           starts the engine with the group: offline, and with this rank's cores
///     DdpTrainer          replaces model.newTrainer(config): step() averages gradients over all ranks
///     DistributedBatches  replaces DJL's samplers: this rank's batches of a data set
///     DjlModel            a block's tensors for org.tutti.train
///     DjlState            a block's tensors for a checkpoint
///     RateTracker         learning rates from a RateSchedule
///
///     try (ProcessGroup group = ProcessGroup.init()) {
///         try (Model model = Model.newInstance("mlp")) {
///             model.setBlock(…);
///             try (Trainer trainer = DdpTrainer.of(model, config, group)) {
///                 trainer.initialize(new Shape(1, 64));
///                 EasyTrain.fit(trainer, 10, train, test);
///             }
///         }
///     }
///
/// DJL has no hooks on gradients, so communication begins after backward. A JVM has only one gradient
/// collector, so ranks are processes, not threads. Not implemented: GPUs.
@NullMarked
package org.tutti.train.djl;

import org.jspecify.annotations.NullMarked;
