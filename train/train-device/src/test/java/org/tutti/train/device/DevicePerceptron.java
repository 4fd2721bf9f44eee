package org.tutti.train.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tutti.device.ArrayKernels;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.Dim;
import org.tutti.device.ElementwiseOp.Unary;
import org.tutti.device.Kernel;
import org.tutti.mpi.Datatype;

/// The perceptron of [HostPerceptron] in the memory of a device.
final class DevicePerceptron implements Perceptron {
    private static final int MOST = 64;

    private static final String SOURCE = """
            extern "C" __global__ void to_error(int rows, int classes, float share, const int* labels, float* z,
                    float* losses) {
                int r = blockIdx.x * blockDim.x + threadIdx.x;
                if (r >= rows) return;
                float* row = z + r * classes;
                float most = row[0], sum = 0;
                for (int c = 1; c < classes; c++) most = row[c] > most ? row[c] : most;
                for (int c = 0; c < classes; c++) sum += expf(row[c] - most);
                losses[r] = share * (logf(sum) + most - row[labels[r]]);
                for (int c = 0; c < classes; c++)
                    row[c] = share * (expf(row[c] - most) / sum - (c == labels[r] ? 1.0f : 0.0f));
            }
            """;

    final DeviceModel model;
    private final ArrayKernels arrays;
    private final Kernel toError;
    private final int hidden, out;
    private final DeviceBuffer x, labels, h, z, losses, dh, h2, transposed, sum1, sum2;

    DevicePerceptron(Device device, Datatype type, long seed) {
        model = DeviceModel.of(device);
        arrays = device.arrays();
        DeviceBuffer w1 = device.allocate(type, IN * HIDDEN), w2 = device.allocate(type, HIDDEN * OUT);
        fill(w1, Perceptron.initial(seed, IN * HIDDEN));
        fill(w2, Perceptron.initial(seed + 1, HIDDEN * OUT));
        hidden = model.add("hidden.weight", w1, IN, HIDDEN);
        out = model.add("out.weight", w2, HIDDEN, OUT);
        toError = device.kernel("to_error", SOURCE, (thread, a) -> {
            int r = thread.x(), classes = a.intValue(1), at = r * classes;
            if (r >= a.intValue(0)) return;
            float most = a.getFloat(4, at), sum = 0, share = a.floatValue(2);
            int label = a.getInt(3, r);
            for (int c = 1; c < classes; c++) most = Math.max(most, a.getFloat(4, at + c));
            for (int c = 0; c < classes; c++) sum += (float) Math.exp(a.getFloat(4, at + c) - most);
            a.set(5, r, share * ((float) Math.log(sum) + most - a.getFloat(4, at + label)));
            for (int c = 0; c < classes; c++) {
                float p = (float) Math.exp(a.getFloat(4, at + c) - most) / sum;
                a.set(4, at + c, share * (p - (c == label ? 1 : 0)));
            }
        });
        x = device.zeros(type, MOST * IN);
        labels = device.zeros(Datatype.INT, MOST);
        h = device.zeros(type, MOST * HIDDEN);
        z = device.zeros(type, MOST * OUT);
        losses = device.zeros(type, MOST);
        dh = device.zeros(type, MOST * HIDDEN);
        h2 = device.zeros(type, MOST * HIDDEN);
        transposed = device.zeros(type, MOST * Math.max(IN, HIDDEN) + HIDDEN * OUT);
        sum1 = device.zeros(type, IN * HIDDEN);
        sum2 = device.zeros(type, HIDDEN * OUT);
    }

    static void fill(DeviceBuffer buffer, float... values) {
        buffer.copyFrom(values);
    }

    private static DeviceBuffer rows(DeviceBuffer of, long rows, int width) {
        return of.slice(0, rows * width);
    }

    @Override
    public DeviceModel model() {
        return model;
    }

    @Override
    public double backward(int[] samples, boolean firstLayer) {
        int n = samples.length;
        float[] inputs = new float[n * IN];
        int[] wanted = new int[n];
        for (int i = 0; i < n; i++) {
            float[] one = Perceptron.input(samples[i]);
            System.arraycopy(one, 0, inputs, i * IN, IN);
            wanted[i] = Perceptron.label(one);
        }
        DeviceBuffer xs = rows(x, n, IN), hs = rows(h, n, HIDDEN), zs = rows(z, n, OUT);
        xs.copyFrom(inputs);
        labels.slice(0, n).copyFrom(wanted);
        arrays.matmul(n, HIDDEN, IN, xs, model.parameter(hidden), hs);
        arrays.apply(Unary.TANH, hs, hs);
        arrays.matmul(n, OUT, HIDDEN, hs, model.parameter(out), zs);
        toError.launch(Dim.blocks(n, 32), Dim.of(32), n, OUT, 1f / n, labels, zs, losses);

        DeviceBuffer turned = rows(transposed, n, HIDDEN);
        arrays.transpose(n, HIDDEN, hs, turned);
        arrays.matmul(HIDDEN, OUT, n, turned, zs, sum2);
        arrays.add(model.gradient(out), sum2, model.gradient(out));
        model.markReady(out);
        if (firstLayer) {
            DeviceBuffer ds = rows(dh, n, HIDDEN), squares = rows(h2, n, HIDDEN);
            DeviceBuffer w2 = rows(transposed, HIDDEN, OUT);
            arrays.transpose(HIDDEN, OUT, model.parameter(out), w2);
            arrays.matmul(n, HIDDEN, OUT, zs, w2, ds);
            arrays.apply(Unary.SQUARE, hs, squares);
            arrays.multiply(ds, squares, squares);
            arrays.subtract(ds, squares, ds);
            turned = rows(transposed, n, IN);
            arrays.transpose(n, IN, xs, turned);
            arrays.matmul(IN, HIDDEN, n, turned, ds, sum1);
            arrays.add(model.gradient(hidden), sum1, model.gradient(hidden));
            model.markReady(hidden);
        }
        return arrays.sum(losses.slice(0, n));
    }

    @Override
    public void descend(double rate) {
        model.sgdStep(rate);
        model.zeroGrad();
    }

    @Override
    public float[] all() {
        float[] all = new float[IN * HIDDEN + HIDDEN * OUT];
        MemorySegment to = MemorySegment.ofArray(all);
        long at = 0;
        for (var p : model.parameters()) {
            MemorySegment.copy(p.storage().read(), 0, to, at, p.spec().sizeBytes());
            at += p.spec().sizeBytes();
        }
        return all;
    }

    @Override
    public void gradient(int parameter, int element, float value) {
        MemorySegment one = MemorySegment.ofArray(new float[] {value});
        model.gradient(parameter).copyFrom(one, (long) element * Float.BYTES);
    }

    @Override
    public float gradient(int parameter, int element) {
        MemorySegment one = MemorySegment.ofArray(new float[1]);
        model.gradient(parameter).copyTo(one, (long) element * Float.BYTES);
        return one.get(ValueLayout.JAVA_FLOAT, 0);
    }
}
