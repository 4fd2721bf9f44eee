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

/// An optimizer whose memory is divided among the ranks, as of Adam's moments, which take twice the model.
/// Each rank has one of libtorch's for its share of the parameters alone, and gives these to the others
/// when it has changed them: the first stage of ZeRO. Parameters change to the same bits as by one
/// optimizer for all.
///
///     ShardedOptimizer optimizer = ShardedOptimizer.of(model, group, share -> new Adam(share, new AdamOptions(1e-3)));
///     try (Step s = ddp.step(n)) {
///         optimizer.zeroGrad();
///         … s.sync();
///         optimizer.step();
///     }
///
/// All ranks call [#step]. What a step sends is as long as the model, beside the gradients. [TorchState] has each
/// rank's part of its state, which any number of ranks can go on from.
///
/// @see <a href="https://arxiv.org/abs/1910.02054">ZeRO: memory optimizations</a>
public final class ShardedOptimizer implements AutoCloseable {
    /// The most that travels at a time.
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

    /// For what a model trains now. All ranks call it, with the same model.
    ///
    /// @param make is given this rank's share; not called on a rank without one
    public static ShardedOptimizer of(TorchModel model, ProcessGroup group, Function<TensorVector, Optimizer> make) {
        List<Named> all = model.trainedTensors();
        Tensors.requireNear("ShardedOptimizer", all);
        return new ShardedOptimizer(all, shares(all, group.size()), group, make);
    }

    /// The longest first, each to the rank that has least.
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

    /// The optimizer of this rank's share, to set its learning rate for example; null where there are fewer parameters
    /// than ranks.
    public @Nullable Optimizer localOptimizer() {
        return own;
    }

    /// What it changes on all ranks together.
    List<Named> parameters() {
        return all;
    }

    /// This rank's share of the state, where it is; empty where it has none.
    Optional<OptimizerState> state() {
        if (own == null) return Optional.empty();
        OptimizerState state = OptimizerState.of(own, all);
        if (state == null) {
            throw new TrainingException("the state of this optimizer cannot be saved in parts; use one of libtorch's"
                    + " SGD, Adam, AdamW, RMSprop or Adagrad");
        }
        return Optional.of(state);
    }

    /// Sets the learning rate on this rank; all ranks set the same.
    public void setLearningRate(double rate) {
        if (own != null) LearningRate.set(own, rate);
    }

    /// Forgets the gradients of all parameters.
    public void zeroGrad() {
        for (Named n : all) n.tensor().mutable_grad().reset();
    }

    /// Changes all parameters by their gradients. All ranks call it.
    public void step() {
        if (own != null) own.step();
        for (int r = 0; r < group.size(); r++) broadcast(r);
    }

    /// Part by part, of as many tensors, or as much of one, as there is room for.
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

    /// Gives back the memory in which parameters travel. Local.
    @Override
    public void close() {
        group.free(travelling);
    }
}
