package org.tutti.train.djl;

import ai.djl.nn.Block;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.Tensor;

/// A block's parameters as tensors of a checkpoint, by the names of [Block#getParameters]: trained or frozen,
/// and running means.
///
///     if (group.rank() == 0) checkpoints.save(step, DjlState.of(model.getBlock(), Map.of("epoch", "2")));
///
/// What DJL does not show is not in it, and begins anew: what its optimizers remember (the momentum of `Sgd`,
/// the moments of `Adam`, `AdamW`, `RmsProp` and `Adagrad`), how many steps a `Tracker` has counted, and the state
/// of the random numbers that `Engine.setRandomSeed` begins.
public final class DjlState {
    private DjlState() {}

    /// Shows the block's tensors where they are: to be written before the next step. Local.
    ///
    /// @param metadata texts to find again, an epoch for instance
    /// @throws TrainingException when the block is not initialized
    public static Safetensors of(Block block, Map<String, String> metadata) {
        return new Safetensors(tensors(block), metadata);
    }

    private static List<Tensor> tensors(Block block) {
        DjlModel model = DjlModel.of(block);
        List<Tensor> all = new ArrayList<>(model.parameters());
        all.addAll(model.frozen());
        all.addAll(model.buffers());
        return all;
    }

    /// Brings the block's tensors back to what they were. All ranks do it, each its own.
    ///
    /// @throws TrainingException when one is missing, left over or of another shape, or the block is not
    ///     initialized; then nothing has changed
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
        saved.values().forEach(t -> wrong.add("the block has no " + t.spec()));
        if (!wrong.isEmpty())
            throw new TrainingException("the checkpoint is of another block: " + String.join("; ", wrong));
        pairs.forEach((own, there) -> own.data().copyFrom(there.data()));
    }
}
