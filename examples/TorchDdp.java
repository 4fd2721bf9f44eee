/*
 * PyTorch's first example of DistributedDataParallel, line by line: a linear model, ten steps, different data on
 * every rank, and the same model on all ranks afterwards.
 *
 *     ./tutti run --with torch -n 2 examples/TorchDdp.java
 *
 *     Rank 0, Loss: …
 *     Rank 1, Loss: …
 *     …
 *     the models of 2 ranks are the same
 */

import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
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

void main() {
    try (ProcessGroup group = ProcessGroup.init()) {                    // dist.init_process_group(…)
        ToyModel model = new ToyModel();
        TorchModel shown = TorchModel.of(model);
        DistributedDataParallel ddpModel = DistributedDataParallel.of(shown, group);    // DDP(model)

        SGD optimizer = new SGD(model.parameters(), new SGDOptions(0.001)); // optim.SGD(ddp_model.parameters(), lr=0.001)

        MSELossImpl lossFn = new MSELossImpl();                             // nn.MSELoss()
        manual_seed(group.rank());
        Tensor inputs = randn(20, 10);
        Tensor labels = randn(20, 10);

        for (int i = 0; i < 10; i++) {
            try (Step step = ddpModel.step(20)) {                           // frees the native objects of the step
                optimizer.zero_grad();
                Tensor outputs = model.forward(inputs);
                Tensor loss = lossFn.forward(outputs, labels);
                loss.backward();
                step.sync();                                                // gradients are the mean of all ranks now
                optimizer.step();

                IO.println("Rank " + group.rank() + ", Loss: " + loss.item_float());
            }
        }
        ReplicaGuard.of(group, 1).check(10, shown);
        if (group.rank() == 0) IO.println("the models of " + group.size() + " ranks are the same");
    }                                                                       // dist.destroy_process_group()
}
