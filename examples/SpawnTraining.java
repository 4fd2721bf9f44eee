/*
 * A program that starts ranks and trains on these, like torch.multiprocessing.spawn with DistributedDataParallel:
 * one rank per visible GPU, or two ranks without a GPU. (Tensors are in CPU memory.)
 *
 *     ./tutti run --with torch -n 1 examples/SpawnTraining.java
 *
 *     GPUs: …; starting … ranks
 *     Rank 0, Loss: …
 *     Rank 1, Loss: …
 *     …
 *     the models of … ranks are the same
 *     all have ended
 *
 * No launcher is needed, only Tutti's and libtorch's jars on the class path. Arguments: ranks=N
 */

import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
import org.tutti.mpi.Tutti;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup;
import org.tutti.train.ReplicaGuard;
import org.tutti.train.torch.TorchModel;

import static org.bytedeco.pytorch.global.torch.*;

static class ToyModel extends Module {
    final LinearImpl net = register_module("net", new LinearImpl(10, 10));

    Tensor forward(Tensor x) {
        return net.forward(x);
    }
}

void main(String[] args) {
    int devices = Tutti.devices();                                      // torch.cuda.device_count()
    int ranks = devices > 0 ? devices : 2;
    if (args.length > 0) ranks = Integer.parseInt(args[0].replaceFirst("^ranks=", ""));
    IO.println("GPUs: " + devices + "; starting " + ranks + " ranks");
    Tutti.spawn(ranks, own -> demoBasic(own), "10");                    // torch.multiprocessing.spawn(demo_basic, …)
    IO.println("all have ended");
}

/// Runs in each rank. A rank is a separate process, so this method uses no values of the program above except
/// the arguments.
static void demoBasic(String[] own) {
    int steps = Integer.parseInt(own[0]);
    try (ProcessGroup group = ProcessGroup.init()) {                 // no address, no port
        ToyModel model = new ToyModel();
        TorchModel shown = TorchModel.of(model);
        DistributedDataParallel ddp = DistributedDataParallel.of(shown, group);
        SGD optimizer = new SGD(model.parameters(), new SGDOptions(0.001));
        MSELossImpl lossFn = new MSELossImpl();
        manual_seed(group.rank());
        Tensor inputs = randn(20, 10), labels = randn(20, 10);
        for (int i = 0; i < steps; i++) {
            try (Step step = ddp.step(20)) {
                optimizer.zero_grad();
                Tensor loss = lossFn.forward(model.forward(inputs), labels);
                loss.backward();
                step.sync();
                optimizer.step();
                IO.println("Rank " + group.rank() + ", Loss: " + loss.item_float());
            }
        }
        ReplicaGuard.of(group, 1).check(steps, shown);
        if (group.rank() == 0) IO.println("the models of " + group.size() + " ranks are the same");
    }
}
