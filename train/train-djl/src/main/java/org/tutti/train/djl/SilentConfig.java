package org.tutti.train.djl;

import ai.djl.Device;
import ai.djl.nn.Parameter;
import ai.djl.training.TrainingConfig;
import ai.djl.training.evaluator.Evaluator;
import ai.djl.training.initializer.Initializer;
import ai.djl.training.listener.TrainingListener;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.util.PairList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A configuration without listeners, for a temporary trainer, because DJL's listeners expect notifications
/// from only one trainer.
record SilentConfig(TrainingConfig config) implements TrainingConfig {
    @Override
    public PairList<Initializer, Predicate<Parameter>> getInitializers() {
        return config.getInitializers();
    }

    @Override
    public Device[] getDevices() {
        return config.getDevices();
    }

    @Override
    public Optimizer getOptimizer() {
        return config.getOptimizer();
    }

    @Override
    public Loss getLossFunction() {
        return config.getLossFunction();
    }

    @Override
    public @Nullable ExecutorService getExecutorService() {
        return config.getExecutorService();
    }

    @Override
    public List<Evaluator> getEvaluators() {
        return config.getEvaluators();
    }

    @Override
    public List<TrainingListener> getTrainingListeners() {
        return List.of();
    }
}
