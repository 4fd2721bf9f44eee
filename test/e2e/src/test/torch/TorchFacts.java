// Program of TorchFactsTest, run with `--with torch`. The unit tests of the modules check these facts between
// threads; this program checks the facts between processes and over libraries. Rank 0 prints the name of each
// fact that holds on all ranks.

import java.util.List;

import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.BatchNorm1dImpl;
import org.bytedeco.pytorch.BatchNormOptions;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.HalfPrecision;
import org.tutti.train.LossScaler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.ReplicaGuard;
import org.tutti.train.TrainingException;
import org.tutti.train.model.DType;
import org.tutti.train.torch.Autocast;
import org.tutti.train.torch.ShardedOptimizer;
import org.tutti.train.torch.SyncBatchNorm;
import org.tutti.train.torch.TorchModel;

import static org.bytedeco.pytorch.global.torch.*;

interface Fact {
    void holds(ProcessGroup group) throws Exception;
}

void main(String[] args) throws Exception {
    try (ProcessGroup group = ProcessGroup.init()) {
        show(group, "two phases and a plain one", this::phases);
        show(group, "a released layer is refused", this::released);
        show(group, "buffers are one rank's", this::buffers);
        show(group, "accumulated steps are a mean", this::accumulated);
        show(group, "a sum that overflows is named", this::overflow);
        show(group, "a step left out is named", this::leftOut);
        show(group, "gradients of 16 bits", this::sixteenBits);
        show(group, "gradients in half the bytes", this::halfBuckets);
        show(group, "a step that overflows is left out", this::scaled);
        show(group, "a norm over all ranks", this::norm);
        show(group, "a sharded optimizer", this::sharded);
        show(group, "gradients stay after close", this::stay);
    }
}

void show(ProcessGroup group, String name, Fact fact) throws Exception {
    manual_seed(5 + group.rank());
    fact.holds(group);
    if (group.rank() == 0) IO.println(name);
}

static void require(boolean holds, Object... seen) {
    if (!holds) throw new AssertionError(List.of(seen).toString());
}

static void refused(String part, Runnable run) {
    try {
        run.run();
    } catch (RuntimeException e) {
        require(String.valueOf(e.getMessage()).contains(part), e.getMessage());
        return;
    }
    throw new AssertionError("not refused: " + part);
}

/// Returns a layer with a 1 x 2 weight and a bias, all zero: x and the factor determine the gradients of
/// `forward(x).sum() * factor`.
static LinearImpl zeros() {
    LinearImpl net = new LinearImpl(2, 1);
    for (org.tutti.train.model.Tensor p : TorchModel.of(net).parameters()) p.data().fill((byte) 0);
    return net;
}

static Tensor loss(LinearImpl net, double factor) {
    return net.forward(ones(1, 2)).sum().mul(new Scalar(factor));
}

static double bias(LinearImpl net) {
    return net.bias().grad().item_double();
}

/// Returns the mean of 1, 2, 3, … over the ranks.
static double mean(ProcessGroup group) {
    return (group.size() + 1) / 2.0;
}

void phases(ProcessGroup group) {
    LinearImpl net = zeros();
    net.weight().set_requires_grad(false);
    for (boolean head : new boolean[] {true, false}) {
        if (!head) net.weight().set_requires_grad(true);
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
        try (Step step = ddp.step(1)) {
            net.zero_grad(true);
            loss(net, 1 + group.rank()).backward();
            step.sync();
            require(bias(net) == mean(group), bias(net));
        }
    }
    System.gc();
    net.zero_grad(true);
    loss(net, 7).backward();
    require(bias(net) == 7 || group.size() == 1, bias(net));
}

void released(ProcessGroup group) {
    LinearImpl net = zeros();
    net.weight().set_requires_grad(false);
    DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
    net.weight().set_requires_grad(true);
    refused("frozen when TorchModel.of was called, and to be trained now: weight", () -> ddp.step(1));
}

void buffers(ProcessGroup group) {
    BatchNorm1dImpl norm = new BatchNorm1dImpl(new BatchNormOptions(2));
    TorchModel model = TorchModel.of(norm);
    DistributedDataParallel ddp = DistributedDataParallel.of(model, group);
    for (int i = 0; i < 3; i++) {
        try (Step step = ddp.step(4)) {
            norm.forward(randn(4, 2)).sum().backward();
            step.sync();
        }
    }
    ReplicaGuard.of(group, 1).check(1, model);
}

void accumulated(ProcessGroup group) {
    LinearImpl net = zeros();
    DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
    for (int round = 0; round < 2; round++) {
        net.zero_grad(true);
        try (Step step = ddp.accumulate(32)) {
            loss(net, 1).backward();
        }
        try (Step step = ddp.step(16)) {
            loss(net, 4).backward();
            step.sync();
        }
        require(Math.abs(bias(net) - (32 + 16 * 4) / 48.0) < 1e-6, bias(net));
    }
}

void overflow(ProcessGroup group) {
    LinearImpl net = zeros();
    DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
    try (Step step = ddp.step(64)) {
        loss(net, 1e37).backward();
        step.sync(); // 64 times 1e37 exceeds the range of float, but the mean does not
        require(bias(net) == (double) 1e37f, bias(net));
    }
    try (Step step = ddp.step(64)) {
        net.zero_grad(true);
        loss(net, 3e38).backward();
        refused("the sum over all ranks of the gradient of bias, weight is not finite", step::sync);
    }
}

void leftOut(ProcessGroup group) {
    LinearImpl net = zeros();
    DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
    if (group.rank() == 1) ddp.step(1).close();
    try (Step step = ddp.step(1)) {
        loss(net, 1).backward();
        refused("the ranks are in different steps: rank 0 in step 1, rank 1 in step 2", step::sync);
    }
}

void sixteenBits(ProcessGroup group) {
    for (ScalarType type : new ScalarType[] {ScalarType.Half, ScalarType.BFloat16}) {
        LinearImpl net = zeros();
        net.to(type, false);
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
        try (Step step = ddp.step(1)) {
            net.forward(ones(1, 2).to(type)).sum().mul(new Scalar(1.0 + group.rank())).backward();
            step.sync();
            require(bias(net) == mean(group), bias(net));
        }
    }
}

void halfBuckets(ProcessGroup group) {
    for (DType type : new DType[] {DType.F16, DType.BF16}) {
        LinearImpl net = zeros();
        Options options = Options.DEFAULTS.withHook(new HalfPrecision(type));
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group, options);
        try (Step step = ddp.step(1)) {
            loss(net, 1 + group.rank()).backward();
            step.sync();
            require(Math.abs(bias(net) - mean(group)) < 0.02, bias(net));
        }
    }
}

void scaled(ProcessGroup group) {
    LinearImpl net = zeros();
    DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
    LossScaler scaler = LossScaler.of(1024, 0);
    for (boolean bad : new boolean[] {false, true, false}) {
        try (Step step = ddp.step(1)) {
            net.zero_grad(true);
            Tensor loss;
            try (Autocast cast = Autocast.open(DType.F16)) {
                loss = loss(net, bad && group.rank() == group.size() - 1 ? Double.NaN : 1 + group.rank());
            }
            loss.mul(new Scalar(scaler.scale())).backward();
            require(step.sync(scaler) != bad, bad);
            if (!bad) require(bias(net) == mean(group), bias(net));
        }
    }
    require(scaler.scale() == 512, scaler.scale());
}

/// Each rank has different samples. The norm equals that of a single rank with all samples.
void norm(ProcessGroup group) {
    int each = 3, all = each * group.size();
    float[] numbers = new float[all * 2];
    for (int i = 0; i < numbers.length; i++) numbers[i] = (float) Math.sin(i);
    Tensor x = Tensor.create(numbers, all, 2);
    Tensor whole = new BatchNorm1dImpl(new BatchNormOptions(2)).forward(x).narrow(0, (long) each * group.rank(), each);
    Tensor mine = new SyncBatchNorm(2, group).forward(x.narrow(0, (long) each * group.rank(), each));
    require(whole.sub(mine).abs().max().item_double() < 1e-5, whole.sub(mine).abs().max().item_double());
}

void sharded(ProcessGroup group) {
    manual_seed(3);
    LinearImpl one = new LinearImpl(6, 5), two = new LinearImpl(6, 5);
    TorchModel first = TorchModel.of(one), second = TorchModel.of(two);
    DistributedDataParallel ddp = DistributedDataParallel.of(first, group), other = DistributedDataParallel.of(second, group);
    for (int i = 0; i < first.parameters().size(); i++) {
        second.parameters().get(i).data().copyFrom(first.parameters().get(i).data());
    }
    Adam plain = new Adam(one.parameters(), new AdamOptions(1e-2));
    try (ShardedOptimizer sharded = ShardedOptimizer.of(second, group, share -> new Adam(share, new AdamOptions(1e-2)))) {
        for (int i = 0; i < 5; i++) {
            Tensor x = randn(4, 6);
            try (Step step = ddp.step(4)) {
                plain.zero_grad();
                one.forward(x).square().sum().backward();
                step.sync();
                plain.step();
            }
            try (Step step = other.step(4)) {
                sharded.zeroGrad();
                two.forward(x).square().sum().backward();
                step.sync();
                sharded.step();
            }
        }
    }
    for (int i = 0; i < first.parameters().size(); i++) {
        require(first.parameters().get(i).data().mismatch(second.parameters().get(i).data()) == -1, i);
    }
}

void stay(ProcessGroup group) {
    LinearImpl net = zeros();
    SGD optimizer = new SGD(net.parameters(), new SGDOptions(1));
    try (DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
            Step step = ddp.step(1)) {
        loss(net, 1 + group.rank()).backward();
        step.sync();
    }
    require(bias(net) == mean(group), bias(net));
    optimizer.step();
    require(net.bias().item_double() == -mean(group), net.bias().item_double());
}
