// Compares the time that Step.clipGradNorm and libtorch's clip_grad_norm_ need to limit the norm of the
// gradients of 26 million parameters, alternating in one program. Each computes the norm and scales the
// gradients.
//
//     ./tutti run --with torch -n 1 test/benchmarks/training/ClipTime.java
//
// Rank 0 prints the two medians, in milliseconds, and the ratio.

import java.util.Arrays;
import java.util.Locale;

import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup;
import org.tutti.train.torch.TorchModel;

import static org.bytedeco.pytorch.global.torch.*;

static final int LAYERS = 12, WIDTH = 1470, ROUNDS = 41;

void main(String[] args) {
    try (ProcessGroup group = ProcessGroup.init()) {
        Module net = new Module();
        for (int i = 0; i < LAYERS; i++) net.register_module("layer" + i, new LinearImpl(WIDTH, WIDTH));
        TensorVector parameters = net.parameters();
        long count = 0;
        for (long i = 0; i < parameters.size(); i++) count += parameters.get(i).numel();
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
        double[] ours = new double[ROUNDS], theirs = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            try (Step step = ddp.step(1)) {
                for (long i = 0; i < parameters.size(); i++) {
                    parameters.get(i).mutable_grad().put(ones_like(parameters.get(i)));
                }
                step.sync();
                long start = System.nanoTime();
                step.clipGradNorm(1e-3);
                ours[round] = (System.nanoTime() - start) / 1e6;
                start = System.nanoTime();
                clip_grad_norm_(parameters, 1e-4, 2, false);
                theirs[round] = (System.nanoTime() - start) / 1e6;
            }
        }
        Arrays.sort(ours);
        Arrays.sort(theirs);
        if (group.rank() == 0) {
            IO.println(String.format(Locale.ROOT, "%d parameters: Step.clipGradNorm %.2f ms, clip_grad_norm_ %.2f ms, ratio %.2f",
                    count, ours[ROUNDS / 2], theirs[ROUNDS / 2], ours[ROUNDS / 2] / theirs[ROUNDS / 2]));
        }
    }
}
