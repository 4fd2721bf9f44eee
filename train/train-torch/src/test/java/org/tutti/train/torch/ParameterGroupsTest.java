package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.bytedeco.pytorch.global.torch.cross_entropy_loss;
import static org.bytedeco.pytorch.global.torch.tanh;
import static org.tutti.train.torch.Trials.onRanks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.assertj.core.data.Offset;
import org.bytedeco.pytorch.Adagrad;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.OptimizerParamGroup;
import org.bytedeco.pytorch.RMSprop;
import org.bytedeco.pytorch.RMSpropOptions;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.OneCycle;
import org.tutti.train.ProcessGroup;
import org.tutti.train.RateSchedule;
import org.tutti.train.ReduceLROnPlateau;
import org.tutti.train.ReduceLROnPlateau.Options;
import org.tutti.train.ReplicaGuard;
import org.tutti.train.average.AveragedModel;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.torch.tensor.LibTorch;
import org.tutti.train.torch.tensor.Tensors;

/// Trains with two parameter groups with separate schedules, and with an average of the parameters. The results
/// are equal to PyTorch's on any number of ranks, with a plain or a sharded optimizer, and after a restart.
final class ParameterGroupsTest {
    private static final int STEPS = 25, SAMPLES = 13;
    private static final Map<String, double[]> PYTORCH = read();

    private static Map<String, double[]> read() {
        try (var in = Objects.requireNonNull(ParameterGroupsTest.class.getResourceAsStream("/pytorch/trainings.txt"))) {
            Map<String, double[]> all = new HashMap<>();
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                String[] words = line.split(" ");
                all.put(
                        words[0],
                        Arrays.stream(words)
                                .skip(1)
                                .mapToDouble(Double::parseDouble)
                                .toArray());
            }
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Net extends Module {
        final LinearImpl hidden = register_module("hidden", new LinearImpl(4, 6));
        final LinearImpl out = register_module("out", new LinearImpl(6, 3));

        Net() {
            to(ScalarType.Double, false);
            int i = 0;
            for (org.tutti.train.model.Tensor p : TorchModel.of(this).parameters()) {
                for (long k = 0; k < p.spec().count(); k++) {
                    p.data().setAtIndex(ValueLayout.JAVA_DOUBLE, k, Math.sin(i + 0.1 * k));
                }
                i++;
            }
        }

        Tensor loss(int[] samples) {
            double[] x = new double[samples.length * 4];
            long[] y = new long[samples.length];
            for (int n = 0; n < samples.length; n++) {
                for (int j = 0; j < 4; j++) x[n * 4 + j] = Math.sin(0.7 * samples[n] + j);
                y[n] = samples[n] % 3;
            }
            return cross_entropy_loss(
                    out.forward(tanh(hidden.forward(Tensor.create(x, samples.length, 4)))),
                    Tensor.create(y, samples.length));
        }

        double[] hiddenWeights() {
            return Tensors.memory(hidden.weight()).toArray(ValueLayout.JAVA_DOUBLE);
        }

        double[] values() {
            return TorchModel.of(this).parameters().stream()
                    .flatMapToDouble(p -> Arrays.stream(p.data().toArray(ValueLayout.JAVA_DOUBLE)))
                    .toArray();
        }
    }

    private static Optimizer make(String kind, List<TensorVector> groups) {
        TensorVector out = groups.get(0), hidden = groups.get(1);
        return switch (kind) {
            case "SGD", "SGD.plateau" -> {
                double momentum = kind.equals("SGD") ? 0.5 : 0.9;
                SGDOptions first = new SGDOptions(0.1), second = new SGDOptions(0.02);
                first.momentum().put(momentum);
                second.momentum().put(momentum);
                second.weight_decay().put(0.01);
                SGD made = new SGD(out, first);
                made.add_param_group(new OptimizerParamGroup(hidden, second));
                yield made;
            }
            case "RMSprop" -> {
                RMSpropOptions first = new RMSpropOptions(0.1), second = new RMSpropOptions(0.02);
                second.weight_decay().put(0.01);
                RMSprop made = new RMSprop(out, first);
                made.add_param_group(new OptimizerParamGroup(hidden, second));
                yield made;
            }
            case "Adam" -> {
                AdamOptions second = new AdamOptions(0.02);
                second.weight_decay().put(0.01);
                Adam made = new Adam(out, new AdamOptions(0.1));
                made.add_param_group(new OptimizerParamGroup(hidden, second));
                yield made;
            }
            default -> {
                AdamWOptions first = new AdamWOptions(0.1), second = new AdamWOptions(0.02);
                first.weight_decay().put(0.02);
                second.weight_decay().put(0.01);
                AdamW made = new AdamW(out, first);
                made.add_param_group(new OptimizerParamGroup(hidden, second));
                yield made;
            }
        };
    }

    private static RateSchedule[] cycles(String kind) {
        return kind.equals("RMSprop")
                ? new RateSchedule[] {OneCycle.of(0.02, STEPS), OneCycle.of(0.005, STEPS)}
                : new RateSchedule[] {OneCycle.of(0.5, STEPS), OneCycle.of(0.05, STEPS)};
    }

    /// A training that can be saved and restored.
    private static final class Training implements AutoCloseable {
        final ProcessGroup group;
        final String kind;
        final Net net = new Net(), averaged = new Net();
        final TorchModel model = TorchModel.of(net);
        final @Nullable Optimizer whole;
        final @Nullable ShardedOptimizer shares;
        final AveragedModel ema;
        final ReduceLROnPlateau plateau;
        final int[] samples;

        Training(ProcessGroup group, String kind, boolean isSharded) {
            this.group = group;
            this.kind = kind;
            List<TensorVector> groups = List.of(net.out.parameters(), net.hidden.parameters());
            whole = isSharded ? null : make(kind, groups);
            shares = isSharded ? ShardedOptimizer.of(model, group, groups, parts -> make(kind, parts)) : null;
            ema = AveragedModel.ema(model, TorchModel.of(averaged), 0.9);
            plateau = ReduceLROnPlateau.of(
                    group,
                    Options.DEFAULTS
                            .withFactor(0.5)
                            .withPatience(1)
                            .withThreshold(0.05)
                            .withMinRates(0.01, 0.002),
                    0.5,
                    0.02);
            samples = DistributedSampler.of(SAMPLES, group).samples();
        }

        void run(int from, int to) {
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group, Trials.BUCKETS)) {
                for (int step = from; step < to; step++) {
                    try (Step s = ddp.step(samples.length)) {
                        step(s, step);
                    }
                }
            }
        }

        private void step(Step s, int step) {
            if (shares != null) shares.zeroGrad();
            else if (whole != null) whole.zero_grad();
            Tensor loss = net.loss(samples);
            loss.backward();
            double local = loss.item_double();
            s.sync();
            if (kind.equals("SGD.plateau")) {
                if (shares != null) shares.setLearningRates(plateau.rates());
                else if (whole != null) LearningRate.set(whole, plateau.rates());
            } else {
                if (shares != null) shares.setLearningRates(step, cycles(kind));
                else if (whole != null) LearningRate.set(whole, step, cycles(kind));
            }
            if (shares != null) shares.step();
            else if (whole != null) whole.step();
            ema.update();
            plateau.step(local, samples.length);
        }

        Safetensors state() {
            Map<String, String> metadata = Map.of("plateau", plateau.state());
            return ema.addTo(
                    shares != null
                            ? TorchState.of(net, shares, metadata, group)
                            : TorchState.of(net, Objects.requireNonNull(whole), metadata, group));
        }

        void restore(Safetensors state) {
            if (shares != null) TorchState.restore(state, net, shares, group);
            else TorchState.restore(state, net, Objects.requireNonNull(whole), group);
            ema.restore(state);
            plateau.restore(state.metadata().get("plateau"));
        }

        @Override
        public void close() {
            if (shares != null) shares.close();
        }
    }

    private record Result(double[] parameters, double[] average) {}

    private static Result train(ProcessGroup group, String kind, boolean isSharded) {
        try (Training training = new Training(group, kind, isSharded)) {
            training.run(0, STEPS);
            ReplicaGuard.of(group, 1).check(1, TorchModel.of(training.averaged));
            return new Result(training.net.values(), training.averaged.values());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SGD", "SGD.plateau"})
    void parametersAndAveragesArePytorchs(String kind) {
        assertPytorchs(kind, 1, false);
        assertPytorchs(kind, 3, true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SGD", "RMSprop", "Adam", "AdamW", "SGD.plateau"})
    @Tag("ci")
    void parametersAndAveragesArePytorchsOnAnyNumberOfRanks(String kind) {
        for (int ranks = 1; ranks <= 4; ranks++) {
            for (boolean isSharded : new boolean[] {false, true}) assertPytorchs(kind, ranks, isSharded);
        }
    }

    private static void assertPytorchs(String kind, int ranks, boolean isSharded) {
        LibTorch.load();
        for (Result of : onRanks(ranks, group -> train(group, kind, isSharded))) {
            String what = kind + " on " + ranks + " ranks, sharded: " + isSharded;
            Offset<Double> precision = Offset.offset(1e-9);
            assertThat(of.parameters).as(what).containsExactly(PYTORCH.get(kind), precision);
            assertThat(of.average).as(what).containsExactly(PYTORCH.get(kind + ".averaged"), precision);
        }
    }

    @Test
    void aRestoredTrainingHasTheSameBits(@TempDir Path directory) {
        assertResumes("SGD", 2, true, directory);
    }

    /// With 4 ranks, the sharded optimizer of each rank updates one of the 4 parameters, so it has parameters
    /// of a single group.
    @ParameterizedTest
    @ValueSource(strings = {"SGD", "SGD.plateau", "AdamW"})
    @Tag("ci")
    void aRestoredTrainingHasTheSameBitsOnAnyNumberOfRanks(String kind, @TempDir Path directory) {
        for (int ranks : new int[] {1, 2, 4}) {
            for (boolean isSharded : new boolean[] {false, true}) {
                assertResumes(kind, ranks, isSharded, directory.resolve(ranks + "-" + isSharded));
            }
        }
    }

    private static void assertResumes(String kind, int ranks, boolean isSharded, Path directory) {
        LibTorch.load();
        List<Result> straight = onRanks(ranks, group -> train(group, kind, isSharded));
        List<Result> resumed = onRanks(ranks, group -> resumed(group, kind, isSharded, directory));
        for (int r = 0; r < ranks; r++) {
            String what = kind + " on " + ranks + " ranks, sharded: " + isSharded;
            assertThat(resumed.get(r).parameters).as(what).isEqualTo(straight.get(r).parameters);
            assertThat(resumed.get(r).average).as(what).isEqualTo(straight.get(r).average);
        }
    }

    private static Result resumed(ProcessGroup group, String kind, boolean isSharded, Path directory)
            throws IOException {
        try (Checkpoints checkpoints = Checkpoints.open(directory)) {
            try (Training first = new Training(group, kind, isSharded)) {
                first.run(0, 11);
                if (isSharded) checkpoints.save(11, first.state(), group);
                else saveByRank0(checkpoints, first.state(), group);
            }
            try (Training second = new Training(group, kind, isSharded);
                    Arena arena = Arena.ofShared()) {
                second.restore(Objects.requireNonNull(checkpoints.loadNewest(group, arena))
                        .state());
                second.run(11, STEPS);
                return new Result(second.net.values(), second.averaged.values());
            }
        }
    }

    private static void saveByRank0(Checkpoints checkpoints, Safetensors state, ProcessGroup group) throws IOException {
        if (group.rank() == 0) checkpoints.save(11, state);
        group.barrier();
    }

    /// The hidden layer is frozen and in a group, or trainable and in no group.
    @Test
    void frozenAndOmittedParametersStay() {
        LibTorch.load();
        for (boolean isFrozen : new boolean[] {true, false}) {
            for (int ranks = 1; ranks <= 3; ranks++) {
                onRanks(ranks, group -> {
                    Net net = new Net(), averaged = new Net();
                    net.hidden.weight().set_requires_grad(!isFrozen);
                    net.hidden.bias().set_requires_grad(!isFrozen);
                    TorchModel model = TorchModel.of(net);
                    AveragedModel ema = AveragedModel.ema(model, TorchModel.of(averaged), 0.5);
                    List<TensorVector> groups = isFrozen
                            ? List.of(net.hidden.parameters(), net.out.parameters())
                            : List.of(net.out.parameters());
                    Function<List<TensorVector>, Optimizer> make = parts -> {
                        SGD made = new SGD(parts.get(0), new SGDOptions(0.1));
                        if (isFrozen) made.add_param_group(new OptimizerParamGroup(parts.get(1)));
                        return made;
                    };
                    double[] hidden = net.hiddenWeights(), out = net.values();
                    try (ShardedOptimizer optimizer = ShardedOptimizer.of(model, group, groups, make);
                            DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                        for (int step = 0; step < 3; step++) {
                            try (Step s = ddp.step(1)) {
                                optimizer.zeroGrad();
                                net.loss(new int[] {group.rank()}).backward();
                                s.sync();
                                optimizer.step();
                                ema.update();
                            }
                        }
                    }
                    assertThat(net.hiddenWeights()).isEqualTo(hidden);
                    assertThat(averaged.hiddenWeights()).isEqualTo(hidden);
                    assertThat(net.values()).isNotEqualTo(out);
                    return 0;
                });
            }
        }
    }

    @Test
    void wrongGroupsAreNamed() {
        LibTorch.load();
        List<String> texts = onRanks(2, group -> {
            Net net = new Net();
            TorchModel model = TorchModel.of(net);
            TensorVector out = net.out.parameters(), hidden = net.hidden.parameters();
            return String.join(
                    "\n",
                    failure(model, group, List.of(out, out), parts -> new SGD(parts.get(0), new SGDOptions(1))),
                    failure(
                            model,
                            group,
                            List.of(new Net().out.parameters()),
                            parts -> new SGD(parts.get(0), new SGDOptions(1))),
                    failure(
                            model,
                            group,
                            group.rank() == 0 ? List.of(out) : List.of(hidden),
                            parts -> new SGD(parts.get(0), new SGDOptions(1))),
                    failure(model, group, List.of(out, hidden), parts -> new SGD(parts.get(0), new SGDOptions(1))),
                    failure(model, group, List.of(), parts -> new SGD(parts.get(0), new SGDOptions(1))));
        });
        assertThat(texts.get(0)).isEqualTo(texts.get(1)).isEqualTo("""
                ShardedOptimizer: out.weight occurs twice in the groups
                ShardedOptimizer: tensor 0 of group 0 is not a parameter of the model
                ShardedOptimizer: the parameter groups differ: rank 1 has [hidden.weight, hidden.bias] and rank 0 [out.weight, \
                out.bias]
                ShardedOptimizer: the optimizer does not have the 2 given groups of parameters; add each with add_param_group, \
                in this order
                ShardedOptimizer: the groups have no parameter to train""");
    }

    private static String failure(
            TorchModel model,
            ProcessGroup group,
            List<TensorVector> groups,
            Function<List<TensorVector>, Optimizer> make) {
        try {
            ShardedOptimizer.of(model, group, groups, make).close();
            return "no exception";
        } catch (RuntimeException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void wrongRatesAreNamed() {
        LibTorch.load();
        Net net = new Net();
        SGD sgd = new SGD(net.out.parameters(), new SGDOptions(0.1));
        sgd.add_param_group(new OptimizerParamGroup(net.hidden.parameters()));
        RateSchedule rate = RateSchedule.constant(0.2);
        assertThatThrownBy(() -> LearningRate.set(sgd, new double[] {0.1}))
                .hasMessage("LearningRate.set: 1 rates for an optimizer with 2 groups of parameters");
        assertThatThrownBy(() -> LearningRate.set(sgd, 3, rate, rate, rate))
                .hasMessage("LearningRate.set: 3 schedules for an optimizer with 2 groups of parameters");
        assertThatThrownBy(() -> LearningRate.set(sgd, 3, step -> -1)).hasMessage("a learning rate of -1.0");
        Adagrad adagrad = new Adagrad(net.out.parameters());
        assertThatThrownBy(() -> LearningRate.set(adagrad, 3, OneCycle.of(0.1, 10)))
                .hasMessage("LearningRate.set: the schedule has a momentum, and Adagrad has none that can be set; use"
                        + " OneCycle.withoutMomentum()");
        LearningRate.set(adagrad, 10, OneCycle.of(0.1, 10).withoutMomentum());
        LearningRate.set(sgd, 0, rate);
        assertThat(LearningRate.get(sgd, 1)).isEqualTo(0.2);
        onRanks(3, group -> {
            Net one = new Net();
            try (ShardedOptimizer shares = ShardedOptimizer.of(
                    TorchModel.of(one),
                    group,
                    List.of(one.out.parameters()),
                    parts -> new SGD(parts.get(0), new SGDOptions(0.1)))) {
                assertThatThrownBy(() -> shares.setLearningRates(new double[2]))
                        .hasMessage("LearningRate.set: 2 rates for an optimizer with 1 groups of parameters");
                shares.setLearningRates(0, rate);
                return shares.localOptimizer() == null;
            }
        });
    }
}
