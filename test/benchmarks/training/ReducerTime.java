// The counterpart of StepTime.java with libtorch's Reducer, which is the core of PyTorch's
// DistributedDataParallel, and Gloo. It uses the same libtorch from the same Java.
//
//     ./tutti run --with torch -n 2 test/benchmarks/training/ReducerTime.java --steps 300

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

import static org.bytedeco.pytorch.global.torch.*;

static final int BATCH = 64, WARM_UP = 600;
static final long FIRST_BUCKET = 1 << 20, BUCKET = 25 << 20;

static class Net extends Module {
    final LinearImpl first = register_module("first", new LinearImpl(784, 512));
    final LinearImpl second = register_module("second", new LinearImpl(512, 512));
    final LinearImpl last = register_module("last", new LinearImpl(512, 10));

    Tensor forward(Tensor x) {
        return last.forward(relu(second.forward(relu(first.forward(x)))));
    }
}

void main(String[] args) {
    int at = Arrays.asList(args).indexOf("--steps");
    int steps = at < 0 ? 300 : Integer.parseInt(args[at + 1]);
    try (Mpi mpi = Mpi.init()) { // provides the rank, and a barrier outside of the measured time
        Comm world = mpi.world();
        int rank = world.rank(), size = world.size();
        new org.tutti.train.torch.LibTorch().prepare(java.util.OptionalInt.of(1));

        TCPStoreOptions where = new TCPStoreOptions().port((short) 29533).isServer(rank == 0).waitWorkers(false);
        TCPStore store = new TCPStore("127.0.0.1", where);
        ProcessGroupGloo.Options options = new ProcessGroupGloo.Options();
        options.devices(new GlooDeviceVector(ProcessGroupGloo.createDeviceForHostname("127.0.0.1")));
        ProcessGroupGloo gloo = new ProcessGroupGloo(store, rank, size, options);
        ProcessGroup group = new ProcessGroup(rank, size);
        group.setBackend(DeviceType.CPU, ProcessGroup.BackendType.GLOO, new BackendOptional(gloo));
        group.setDefaultBackend(ProcessGroup.BackendType.GLOO);

        Net net = new Net();
        TensorVector parameters = net.parameters();
        for (long i = 0; i < parameters.size(); i++) gloo.broadcast(new TensorVector(parameters.get(i).detach()))._wait();
        Reducer reducer = new Reducer(
                parameters, buckets(parameters), group, new BoolVector(new boolean[(int) parameters.size()]), BUCKET,
                false, false, new SizeTStringMap(), FIRST_BUCKET, false, false);
        SGD optimizer = new SGD(parameters, new SGDOptions(0.01));
        manual_seed(1 + rank);
        Tensor x = randn(BATCH, 784);
        Tensor y = randint(10, new long[] {BATCH}, new TensorOptions(ScalarType.Long));

        double[] milliseconds = new double[steps];
        for (int i = -WARM_UP; i < steps; i++) {
            world.barrier();
            long start = System.nanoTime();
            try (PointerScope scope = new PointerScope()) {
                optimizer.zero_grad();
                reducer.rebuild_buckets();
                reducer.prepare_for_forward();
                Tensor loss = cross_entropy_loss(net.forward(x), y);
                reducer.prepare_for_backward(new TensorVector());
                loss.backward();
                optimizer.step();
            }
            if (i >= 0) milliseconds[i] = (System.nanoTime() - start) / 1e6;
        }
        Arrays.sort(milliseconds);
        List<Double> medians = world.allgatherObject(milliseconds[steps / 2]);
        List<Double> sums = world.allgatherObject(parameters.get(0).sum().item_double());
        if (!sums.getFirst().equals(sums.getLast())) throw new IllegalStateException("not synchronized: " + sums);
        if (rank == 0) IO.println(String.format(Locale.ROOT, "step %.4f", Collections.max(medians)));
    }
}

/// Returns the buckets in the order of PyTorch, with the last parameters first.
SizeTVectorVector buckets(TensorVector parameters) {
    List<SizeTVector> all = new ArrayList<>();
    List<Long> bucket = new ArrayList<>();
    long bytes = 0;
    for (long i = parameters.size() - 1; i >= 0; i--) {
        bucket.add(i);
        bytes += parameters.get(i).nbytes();
        if (bytes < (all.isEmpty() ? FIRST_BUCKET : BUCKET) && i > 0) continue;
        Collections.sort(bucket);
        all.add(new SizeTVector(bucket.stream().mapToLong(l -> l).toArray()));
        bucket.clear();
        bytes = 0;
    }
    return new SizeTVectorVector(all.toArray(new SizeTVector[0]));
}
