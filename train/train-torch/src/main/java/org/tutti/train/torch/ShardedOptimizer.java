package org.tutti.train.torch;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.TensorVector;
import org.jspecify.annotations.Nullable;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;
import org.tutti.train.torch.Tensors.Named;

/// An optimizer with a state that is divided over the ranks; Adam's moments, for example, are twice the size of
/// the model. Each rank has a libtorch optimizer for only a share of the parameters, and broadcasts these
/// parameters after the update: the first stage of ZeRO. The parameters are bitwise the same as with one
/// optimizer for all.
///
///     ShardedOptimizer optimizer = ShardedOptimizer.of(model, group, share -> new Adam(share, new AdamOptions(1e-3)));
///     try (Step s = ddp.step(n)) {
///         optimizer.zeroGrad();
///         … s.sync();
///         optimizer.step();
///     }
///
/// All ranks call [#step]. A step sends the size of the model, in addition to the gradients. [TorchState] saves
/// each rank's part of the state, which any number of ranks can restore.
///
/// @see <a href="https://arxiv.org/abs/1910.02054">ZeRO: memory optimizations</a>
public final class ShardedOptimizer implements AutoCloseable {
    /// Maximum size of a message.
    private static final long PART_BYTES = 25 << 20;

    private final ProcessGroup group;

    /// The parameters of each rank.
    private final List<List<Named>> shares;

    private final List<Named> all;
    private final @Nullable Optimizer own;
    private final MemorySegment travelling;

    private ShardedOptimizer(
            List<Named> all, List<List<Named>> shares, ProcessGroup group, Function<TensorVector, Optimizer> make) {
        this.all = all;
        this.shares = shares;
        this.group = group;
        TensorVector mine = new TensorVector();
        for (Named n : shares.get(group.rank())) mine.push_back(n.tensor());
        own = mine.size() == 0 ? null : make.apply(mine);
        long most = shares.stream().mapToLong(ShardedOptimizer::bytes).max().orElse(0);
        travelling = group.allocate(Math.max(1, Math.min(most, PART_BYTES)));
    }

    /// Creates an optimizer for the parameters that the model trains now. All ranks call it, with the same
    /// model.
    ///
    /// @param make creates the optimizer for this rank's share; not called on a rank without one
    public static ShardedOptimizer of(TorchModel model, ProcessGroup group, Function<TensorVector, Optimizer> make) {
        List<Named> all = model.trainedTensors();
        Tensors.requireOnCpu("ShardedOptimizer", all);
        return new ShardedOptimizer(all, shares(all, group.size()), group, make);
    }

    /// Assigns the parameters, the largest first, to the rank with the smallest share so far.
    private static List<List<Named>> shares(List<Named> all, int ranks) {
        List<List<Named>> shares = new ArrayList<>();
        for (int r = 0; r < ranks; r++) shares.add(new ArrayList<>());
        List<Named> longest = new ArrayList<>(all);
        longest.sort(Comparator.comparingLong((Named n) -> n.tensor().nbytes()).reversed());
        for (Named n : longest) {
            shares.stream()
                    .min(Comparator.comparingLong(ShardedOptimizer::bytes))
                    .orElseThrow()
                    .add(n);
        }
        return shares;
    }

    private static long bytes(List<Named> share) {
        return share.stream().mapToLong(n -> n.tensor().nbytes()).sum();
    }

    /// Returns the optimizer of this rank's share, for example to set the learning rate; null if there are fewer
    /// parameters than ranks.
    public @Nullable Optimizer localOptimizer() {
        return own;
    }

    /// Returns the parameters that all ranks together update.
    List<Named> parameters() {
        return all;
    }

    /// Returns this rank's share of the state, without copies; empty if none.
    Optional<OptimizerState> state() {
        if (own == null) return Optional.empty();
        OptimizerState state = OptimizerState.of(own, all);
        if (state == null) {
            throw new TrainingException("the state of this optimizer cannot be saved in parts; use one of libtorch's"
                    + " SGD, Adam, AdamW, RMSprop or Adagrad");
        }
        return Optional.of(state);
    }

    /// Sets the learning rate on this rank; set the same rate on all ranks.
    public void setLearningRate(double rate) {
        if (own != null) LearningRate.set(own, rate);
    }

    /// Discards the gradients of all parameters.
    public void zeroGrad() {
        for (Named n : all) n.tensor().mutable_grad().reset();
    }

    /// Updates all parameters from the gradients. All ranks call it.
    public void step() {
        if (own != null) own.step();
        for (int r = 0; r < group.size(); r++) broadcast(r);
    }

    /// Sends part by part: several tensors, or a part of one, up to the size of the memory.
    private void broadcast(int root) {
        List<MemorySegment> part = new ArrayList<>();
        long room = travelling.byteSize();
        for (Named n : shares.get(root)) {
            MemorySegment tensor = Tensors.memory(n.tensor());
            for (long at = 0; at < tensor.byteSize(); ) {
                long bytes = Math.min(room, tensor.byteSize() - at);
                part.add(tensor.asSlice(at, bytes));
                at += bytes;
                room -= bytes;
                if (room > 0) continue;
                send(part, root);
                room = travelling.byteSize();
            }
        }
        if (!part.isEmpty()) send(part, root);
    }

    private void send(List<MemorySegment> part, int root) {
        boolean isMine = group.rank() == root;
        if (isMine) copy(part, true);
        group.broadcast(
                travelling.asSlice(
                        0, part.stream().mapToLong(MemorySegment::byteSize).sum()),
                root);
        if (!isMine) copy(part, false);
        part.clear();
    }

    private void copy(List<MemorySegment> part, boolean out) {
        long at = 0;
        for (MemorySegment piece : part) {
            MemorySegment there = travelling.asSlice(at, piece.byteSize());
            if (out) there.copyFrom(piece);
            else piece.copyFrom(there);
            at += piece.byteSize();
        }
    }

    /// Frees the memory for the broadcast of parameters. Local.
    @Override
    public void close() {
        group.free(travelling);
    }
}
