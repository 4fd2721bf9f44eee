package org.tutti.train.torch;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.OptimizerParamGroupVector;
import org.bytedeco.pytorch.TensorVector;
import org.jspecify.annotations.Nullable;
import org.tutti.train.ProcessGroup;
import org.tutti.train.RateSchedule;
import org.tutti.train.TrainingException;
import org.tutti.train.torch.tensor.Tensors;
import org.tutti.train.torch.tensor.Tensors.Named;

/// An optimizer whose state is divided over the ranks to save memory: Adam's moments, for example, are twice as
/// large as the model. Each rank has a libtorch optimizer for only a share of the parameters, and broadcasts
/// these parameters after the update. This is the first stage of ZeRO. The parameters are bitwise the same as
/// with a single optimizer for all parameters.
///
///     ShardedOptimizer optimizer = ShardedOptimizer.of(model, group, share -> new Adam(share, new AdamOptions(1e-3)));
///     try (Step s = ddp.step(n)) {
///         optimizer.zeroGrad();
///         … s.sync();
///         optimizer.step();
///     }
///
/// With parameter groups, each with different options or a different learning rate, the parameters of all groups
/// are divided together, and each rank creates its part of every group:
///
///     ShardedOptimizer.of(model, group, List.of(net.head.parameters(), net.body.parameters()), shares -> {
///         Adam adam = new Adam(shares.get(0), new AdamOptions(1e-3));
///         adam.add_param_group(new OptimizerParamGroup(shares.get(1), new AdamOptions(1e-4)));
///         return adam;
///     });
///
/// All ranks call [#step]. In each step, the ranks send all updated parameters once, in addition to the
/// gradients. [TorchState] saves each rank's part of the state, which any number of ranks can restore.
///
/// @see <a href="https://arxiv.org/abs/1910.02054">ZeRO: memory optimizations</a>
public final class ShardedOptimizer implements AutoCloseable {
    /// Maximum size of a message, in bytes.
    private static final long PART_BYTES = 25 << 20;

    private final ProcessGroup group;

    /// The parameters of each rank.
    private final List<List<Named>> shares;

    private final List<Named> all;

    /// The number of parameter groups.
    private final int groups;

    private final @Nullable Optimizer own;
    private final MemorySegment travelling;

    private ShardedOptimizer(
            List<List<Named>> parameterGroups, ProcessGroup group, Function<List<TensorVector>, Optimizer> make) {
        all = parameterGroups.stream().flatMap(List::stream).toList();
        groups = parameterGroups.size();
        shares = shares(all, group.size());
        this.group = group;
        List<Named> mine = shares.get(group.rank());
        List<TensorVector> parts = new ArrayList<>();
        for (List<Named> of : parameterGroups) {
            TensorVector part = new TensorVector();
            for (Named n : mine) if (of.contains(n)) part.push_back(n.tensor());
            parts.add(part);
        }
        own = mine.isEmpty() ? null : make.apply(parts);
        if (own != null) checkGroups(own, parts);
        long most = shares.stream().mapToLong(ShardedOptimizer::bytes).max().orElse(0);
        travelling = group.allocate(Math.max(1, Math.min(most, PART_BYTES)));
    }

    /// Creates an optimizer for the parameters that the model trains now. All ranks call it, with the same
    /// model.
    ///
    /// @param make creates the optimizer for this rank's share; not called on a rank without a share
    public static ShardedOptimizer of(TorchModel model, ProcessGroup group, Function<TensorVector, Optimizer> make) {
        List<Named> all = model.trainedTensors();
        Tensors.requireOnCpu("ShardedOptimizer", all);
        return new ShardedOptimizer(List.of(all), group, parts -> make.apply(parts.getFirst()));
    }

    /// As [#of(TorchModel, ProcessGroup, Function)], with parameter groups. The model's other parameters are
    /// not updated, as with libtorch's optimizers; frozen parameters in a group are omitted.
    ///
    /// @param parameterGroups parameters of the model, the same on all ranks
    /// @param make creates an optimizer with these groups, in this order, from this rank's share of each group,
    ///     which may be empty; not called on a rank without a share
    /// @throws TrainingException on all ranks, if the groups differ between ranks; on this rank, if a parameter
    ///     is in two groups or not in the model, if no parameter in the groups is trained, or if the optimizer
    ///     from `make` has different groups
    public static ShardedOptimizer of(
            TorchModel model,
            ProcessGroup group,
            List<TensorVector> parameterGroups,
            Function<List<TensorVector>, Optimizer> make) {
        List<List<Named>> named = named(model, parameterGroups);
        named.forEach(part -> Tensors.requireOnCpu("ShardedOptimizer", part));
        checkSame(named, group);
        return new ShardedOptimizer(named, group, make);
    }

    private static List<List<Named>> named(TorchModel model, List<TensorVector> parameterGroups) {
        Map<Long, Named> trained = new LinkedHashMap<>(), seen = new LinkedHashMap<>();
        for (Named n : model.trainedTensors()) trained.put(n.impl(), n);
        List<List<Named>> groups = new ArrayList<>();
        for (int g = 0; g < parameterGroups.size(); g++) {
            List<Named> part = new ArrayList<>();
            for (long i = 0; i < parameterGroups.get(g).size(); i++) {
                long impl = parameterGroups.get(g).get(i).unsafeGetTensorImpl().address();
                Named known = trained.get(impl);
                if (known == null && model.isFrozen(impl)) continue;
                if (known == null) {
                    throw new TrainingException(
                            "ShardedOptimizer: tensor " + i + " of group " + g + " is not a parameter of the model");
                }
                if (seen.put(impl, known) != null) {
                    throw new TrainingException("ShardedOptimizer: " + known.name() + " occurs twice in the groups");
                }
                part.add(known);
            }
            groups.add(part);
        }
        if (seen.isEmpty()) throw new TrainingException("ShardedOptimizer: the groups have no parameter to train");
        return groups;
    }

    private static void checkSame(List<List<Named>> groups, ProcessGroup group) {
        String mine = groups.stream()
                .map(part -> part.stream().map(Named::name).toList().toString())
                .collect(Collectors.joining(" "));
        List<String> all = group.allgather(mine);
        for (int r = 1; r < all.size(); r++) {
            if (all.get(r).equals(all.getFirst())) continue;
            throw new TrainingException("ShardedOptimizer: the parameter groups differ: rank " + r + " has "
                    + all.get(r) + " and rank 0 " + all.getFirst());
        }
    }

    private static void checkGroups(Optimizer made, List<TensorVector> parts) {
        try (PointerScope scope = new PointerScope()) {
            OptimizerParamGroupVector groups = made.param_groups();
            boolean isSame = groups.size() == parts.size();
            for (int g = 0; isSame && g < parts.size(); g++) {
                isSame = groups.get(g).params().size() == parts.get(g).size();
            }
            if (isSame) return;
            throw new TrainingException("ShardedOptimizer: the optimizer does not have the " + parts.size()
                    + " given groups of parameters; add each with add_param_group, in this order");
        }
    }

    /// Assigns the parameters, the largest first, each to the rank with the smallest share so far.
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

    /// Returns the optimizer of this rank's share, for example to set the learning rate; null on a rank without
    /// a share, for example because there are fewer parameters than ranks.
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

    /// Sets the rate of each parameter group on this rank, as [LearningRate#set(Optimizer, double[])].
    ///
    /// @throws IllegalArgumentException unless the numbers of rates and groups are equal
    public void setLearningRates(double[] rates) {
        LearningRate.checkCount(rates.length, groups, "rates");
        if (own != null) LearningRate.set(own, rates);
    }

    /// Sets the rates, and the momentum if a schedule has one, for a step on this rank, as
    /// [LearningRate#set(Optimizer, long, RateSchedule...)].
    ///
    /// @throws IllegalArgumentException as [LearningRate#set(Optimizer, long, RateSchedule...)]
    public void setLearningRates(long step, RateSchedule... schedules) {
        if (schedules.length != 1) LearningRate.checkCount(schedules.length, groups, "schedules");
        if (own != null) LearningRate.set(own, step, schedules);
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

    /// Broadcasts the share of `root` in parts. A part contains several tensors or a slice of a larger tensor,
    /// and is at most as large as [#travelling].
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
