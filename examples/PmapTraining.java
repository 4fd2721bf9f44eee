/*
 * JAX's training loop with pmap over ranks: a loss as a function of parameters, the gradient by autograd, the mean of
 * the gradients over all ranks (lax.pmean), and the same update on all ranks; no module, no optimizer.
 *
 * GradientAveraging is the same with explicit gradients and without libtorch. In the Python program each rank draws
 * the parameters with a different key. Here rank 0 sends the initial parameters to all ranks; otherwise gradients
 * of different models would be averaged.
 *
 *     ./tutti run --with torch -n 2 examples/PmapTraining.java
 *
 *     step 0, loss: …
 *     …
 *     step 180, loss: 0.0001
 *     the parameters of 2 ranks are the same; the largest error of a weight is 0.0…
 *
 * Arguments: steps=200
 */

import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.tutti.train.ProcessGroup;
import org.tutti.train.model.DType;

import static org.bytedeco.pytorch.global.torch.*;

static final int INPUTS = 100, OUTPUTS = 10, SAMPLES = 1000; // samples per rank
static final double LEARNING_RATE = 0.3;

record Params(Tensor w, Tensor b) {
    TensorVector all() {
        return new TensorVector(w, b);
    }
}

static Tensor predict(Params params, Tensor x) {
    return x.mm(params.w.t()).add(params.b);
}

static Tensor loss(Params params, Tensor x, Tensor y) {
    return mse_loss(predict(params, x), y);
}

void main(String[] args) {
    int steps = args.length == 0 ? 200 : Integer.parseInt(args[0].replaceFirst("^steps=", ""));
    try (ProcessGroup group = ProcessGroup.init()) {
        manual_seed(17);
        Tensor truth = randn(OUTPUTS, INPUTS);                              // to be found by the training
        manual_seed(group.rank());                                          // jax.random.PRNGKey(rank)
        Params params = new Params(randn(OUTPUTS, INPUTS), zeros(OUTPUTS)); // different on each rank,
        group.broadcast(memory(params.w), 0);                               // and now rank 0's
        params.w.set_requires_grad(true);
        params.b.set_requires_grad(true);
        Tensor x = randn(SAMPLES, INPUTS);                                  // different samples on each rank
        Tensor y = x.mm(truth.t()).add(randn(SAMPLES, OUTPUTS).mul(new Scalar(0.01)));

        for (int step = 0; step < steps; step++) {
            try (PointerScope scope = new PointerScope()) {                 // frees the native objects of the step
                Tensor loss = loss(params, x, y);
                TensorVector grads = grad(new TensorVector(loss), params.all()); // jax.grad(loss)(params, x, y)
                pmean(grads, group);
                try (NoGradGuard noGradients = new NoGradGuard()) {
                    params.w.sub_(grads.get(0), new Scalar(LEARNING_RATE));
                    params.b.sub_(grads.get(1), new Scalar(LEARNING_RATE));
                }
                double mean = group.mean(loss.item_float())[0];
                if (group.rank() == 0 && step % 20 == 0) IO.println("step %d, loss: %.4f".formatted(step, mean));
            }
        }

        double error = params.w.sub(truth).abs().max().item_double();
        long[] sums = group.allgather(Double.doubleToLongBits(params.w.sum().item_double()));
        boolean isOne = IntStream.range(1, sums.length).allMatch(r -> sums[r] == sums[0]);
        if (!isOne) throw new AssertionError("the ranks have different parameters");
        if (group.rank() == 0) {
            IO.println("the parameters of %d ranks are the same; the largest error of a weight is %.4f"
                    .formatted(group.size(), error));
        }
    }
}

/// Replaces each tensor by the mean over all ranks.
static void pmean(TensorVector tensors, ProcessGroup group) {
    for (long i = 0; i < tensors.size(); i++) {
        Tensor t = tensors.get(i).contiguous();
        group.allreduce(memory(t), DType.F32);
        tensors.put(i, t.div_(new Scalar(group.size())));
    }
}

/// Returns the memory of a contiguous tensor.
static MemorySegment memory(Tensor t) {
    return MemorySegment.ofAddress(t.data_ptr().address()).reinterpret(t.nbytes());
}
