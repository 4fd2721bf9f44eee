package org.tutti.train.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.nn.Block;
import ai.djl.nn.Parameter;
import ai.djl.util.Pair;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tutti.train.TrainingException;
import org.tutti.train.average.AveragedModel;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// A block's parameters as tensors of a checkpoint, with the names of [Block#getParameters]: trained and frozen
/// ones, and running means. The state of a trainer also contains the state of the optimizer (momentum, moments,
/// number of updates of each parameter) and the number of steps.
///
///     if (group.rank() == 0) checkpoints.save(step, DjlState.of(trainer, Map.of("epoch", "2")));
///
/// DJL does not expose the state of the random generator, so checkpoints do not contain this state. With
/// [DdpTrainer#withSeed] each step has a separate seed, and a resumed training has the same bits. A
/// [RateTracker] continues with the rate of the step; a `Tracker` with internal state starts from the
/// beginning. Add the averages of an [AveragedModel] with [AveragedModel#addTo].
public final class DjlState {
    private static final String OPTIMIZER = "optimizer.", COUNTS = OPTIMIZER + "counts";

    private DjlState() {}

    /// Returns the block's tensors without copies. Write the tensors to the file before the next step, which
    /// changes the contents. Local.
    ///
    /// @param metadata strings to be stored, for example an epoch
    /// @throws TrainingException if the block is not initialized
    public static Safetensors of(Block block, Map<String, String> metadata) {
        return new Safetensors(tensors(block), metadata);
    }

    /// As [#of(Block, Map)], with the state of the trainer's optimizer. Local.
    ///
    /// @throws TrainingException also if the fields of this optimizer cannot be read
    public static Safetensors of(DdpTrainer trainer, Map<String, String> metadata) {
        Block block = trainer.getModel().getBlock();
        List<Tensor> all = new ArrayList<>(tensors(block));
        OptimizerMemory memory = OptimizerMemory.of(trainer.optimizer());
        List<Long> counts = new ArrayList<>(List.of(trainer.steps()));
        for (Pair<String, Parameter> named : block.getParameters()) {
            String id = named.getValue().getId();
            NDArray numbers = named.getValue().getArray();
            counts.add((long) memory.count(id));
            for (String field : memory.names()) {
                for (NDArray array : memory.arrays(field, id, numbers.getDevice())) {
                    all.add(DjlModel.tensor(OPTIMIZER + field + "." + named.getKey(), array));
                }
            }
        }
        long[] numbers = counts.stream().mapToLong(n -> n).toArray();
        all.add(new Tensor(
                new TensorSpec(COUNTS, DType.I64, List.of((long) numbers.length)), MemorySegment.ofArray(numbers)));
        return new Safetensors(all, metadata);
    }

    /// As [#restore(Safetensors, Block)], for a state saved by [#of(DdpTrainer, Map)]. Each rank calls it for
    /// the rank's trainer.
    ///
    /// @throws TrainingException also if the optimizer's state is missing, or of a different kind
    public static void restore(Safetensors state, DdpTrainer trainer) {
        Block block = trainer.getModel().getBlock();
        OptimizerMemory memory = OptimizerMemory.of(trainer.optimizer());
        Map<String, Tensor> saved = new LinkedHashMap<>();
        List<Tensor> rest = new ArrayList<>();
        for (Tensor t : state.tensors()) {
            if (t.name().startsWith(OPTIMIZER)) saved.put(t.name(), t);
            else rest.add(t);
        }
        Tensor counts = saved.remove(COUNTS);
        if (counts == null) throw new TrainingException("the checkpoint has no optimizer, only a block");
        List<Runnable> puts = new ArrayList<>();
        int at = 0;
        for (Pair<String, Parameter> named : block.getParameters()) {
            String id = named.getValue().getId();
            NDArray numbers = named.getValue().getArray();
            int place = ++at;
            if (place < counts.spec().count()) {
                puts.add(() ->
                        memory.count(id, (int) counts.data().getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, place)));
            }
            for (String field : memory.names()) {
                Tensor there = saved.remove(OPTIMIZER + field + "." + named.getKey());
                if (there == null) continue;
                puts.add(() -> {
                    NDArray array = numbers.zerosLike();
                    DjlModel.tensor(there.name(), array).data().copyFrom(there.data());
                    memory.put(field, id, numbers.getDevice(), array);
                });
            }
        }
        if (!saved.isEmpty()) {
            throw new TrainingException("the checkpoint is not of the optimizer "
                    + trainer.optimizer().getClass().getSimpleName() + ": it has " + String.join(", ", saved.keySet()));
        }
        restore(new Safetensors(rest, state.metadata()), block);
        puts.forEach(Runnable::run);
        trainer.steps(counts.data().getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, 0));
    }

    private static List<Tensor> tensors(Block block) {
        DjlModel model = DjlModel.of(block);
        List<Tensor> all = new ArrayList<>(model.parameters());
        all.addAll(model.frozen());
        all.addAll(model.buffers());
        return all;
    }

    /// Restores the block's tensors. Each rank calls it for the rank's block.
    ///
    /// @throws TrainingException if a tensor is missing, unexpected or of a different type or shape, or the block
    ///     is not initialized; then no tensor has changed
    public static void restore(Safetensors state, Block block) {
        Map<String, Tensor> saved = new LinkedHashMap<>();
        state.tensors().forEach(t -> saved.put(t.name(), t));
        Map<Tensor, Tensor> pairs = new LinkedHashMap<>();
        List<String> wrong = new ArrayList<>();
        for (Tensor own : tensors(block)) {
            Tensor there = saved.remove(own.name());
            if (there == null) wrong.add("the checkpoint has no " + own.spec());
            else if (!there.spec().equals(own.spec()))
                wrong.add(own.spec() + " is " + there.spec() + " in the checkpoint");
            else pairs.put(own, there);
        }
        saved.keySet().removeIf(name -> name.startsWith(AveragedModel.PREFIX)); // restored by AveragedModel
        saved.values().forEach(t -> wrong.add("the block has no " + t.spec()));
        if (!wrong.isEmpty())
            throw new TrainingException("the checkpoint does not match the block: " + String.join("; ", wrong));
        pairs.forEach((own, there) -> own.data().copyFrom(there.data()));
    }
}
