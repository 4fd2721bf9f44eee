/*
 * Trains a network of libtorch on handwritten digits on all ranks; then the ranks classify images.
 *
 * With the argument `serve`, clients send images over HTTP (docs/service.md); rank 0 handles requests, and the other
 * ranks compute. The model that answers is an average of the weights over the training, which follows a cycle of the
 * learning rate.
 *
 *     ./tutti run --with torch -n 3 examples/DigitsService.java
 *
 *     test accuracy: 0.9… (… of 360) on 2 workers
 *
 * As a service:
 *
 *     ./tutti serve --with torch -n 3 examples/DigitsService.java serve
 *
 *     curl -H "Authorization: Bearer $(cat tutti-serve/run-token)" -H 'Content-Type: application/json' -d "[$(
 *         zcat examples/data/digits.csv.gz | head -1 | cut -d, -f1-64)]" 'http://127.0.0.1:8080/v1/functions/digit/jobs?wait=10'
 *
 *     {"digit":0,"probability":0.99…}
 */

import java.util.zip.GZIPInputStream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
import org.tutti.futures.RankPool;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.serve.Service;
import org.tutti.train.average.AveragedModel;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.OneCycle;
import org.tutti.train.ProcessGroup;
import org.tutti.train.torch.LearningRate;
import org.tutti.train.torch.TorchModel;

import static org.bytedeco.pytorch.global.torch.*;

static final int PIXELS = 64, TEST = 360, EPOCHS = 20, BATCH = 64;

static class Network extends Module {
    final LinearImpl hidden = register_module("hidden", new LinearImpl(PIXELS, 96));
    final LinearImpl digits = register_module("digits", new LinearImpl(96, 10));

    Tensor forward(Tensor images) {
        return digits.forward(relu(hidden.forward(images)));
    }
}

record Answer(int digit, double probability) {}

/// The averaged model; every rank has it after the training.
static Network model;

/// Runs on a worker.
static Answer classify(float[] pixels) {
    if (pixels.length != PIXELS) throw new IllegalArgumentException(pixels.length + " pixels; an image has " + PIXELS);
    float[] scaled = new float[PIXELS];
    for (int i = 0; i < PIXELS; i++) scaled[i] = pixels[i] / 16;
    try (PointerScope scope = new PointerScope(); NoGradGuard noGradients = new NoGradGuard()) {
        Tensor probabilities = softmax(model.forward(Tensor.create(scaled, 1, PIXELS)), 1);
        return new Answer(probabilities.argmax().item_int(), probabilities.max().item_double());
    }
}

void main(String[] args) throws Exception {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        List<float[]> samples = readDigits();
        Collections.shuffle(samples, new Random(2)); // the same on every rank
        model = new Network();
        try (ProcessGroup group = ProcessGroup.of(mpi, world)) {
            train(samples.subList(TEST, samples.size()), group);
        }
        RankPool.run(world, 0, pool -> {
            if (args.length > 0 && args[0].equals("serve")) {
                Service.of(pool)
                        .addFunction("digit", "Classifies 64 pixels, 0 to 16.", pixels -> classify(pixels), float[].class, Answer.class)
                        .serve();
            } else {
                List<float[]> test = samples.subList(0, TEST);
                List<Answer> answers = pool.map(pixels -> classify(pixels), test.stream().map(s -> Arrays.copyOf(s, PIXELS)).toList()).toList();
                long right = 0;
                for (int i = 0; i < TEST; i++) if (answers.get(i).digit() == test.get(i)[PIXELS]) right++;
                IO.println("test accuracy: %.3f (%d of %d) on %d workers".formatted((double) right / TEST, right, TEST, pool.workerCount()));
            }
        });
    }
}

static void train(List<float[]> samples, ProcessGroup group) {
    Network network = new Network();
    TorchModel trained = TorchModel.of(network);
    DistributedDataParallel ddp = DistributedDataParallel.of(trained, group);
    AveragedModel ema = AveragedModel.ema(trained, TorchModel.of(model), 0.99);
    Adam optimizer = new Adam(network.parameters());
    DistributedSampler sampler = DistributedSampler.of(samples.size(), group).withShuffle(2);
    OneCycle cycle = OneCycle.of(0.02, EPOCHS * Math.ceilDiv(samples.size(), BATCH));
    long step = 0;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        for (Batch batch : sampler.withEpoch(epoch).globalBatches(BATCH)) {
            try (Step s = ddp.step(batch.size())) {
                optimizer.zero_grad();
                if (batch.size() > 0) loss(network, samples, batch.samples()).backward();
                s.sync();
                LearningRate.set(optimizer, step++, cycle);
                optimizer.step();
                ema.update();
            }
        }
    }
    model.eval();
}

static Tensor loss(Network network, List<float[]> samples, int[] chosen) {
    float[] pixels = new float[chosen.length * PIXELS];
    long[] labels = new long[chosen.length];
    for (int i = 0; i < chosen.length; i++) {
        for (int k = 0; k < PIXELS; k++) pixels[i * PIXELS + k] = samples.get(chosen[i])[k] / 16;
        labels[i] = (long) samples.get(chosen[i])[PIXELS];
    }
    return cross_entropy(network.forward(Tensor.create(pixels, chosen.length, PIXELS)), Tensor.create(labels, labels.length));
}

/// A sample consists of the pixels, 0 to 16, followed by the digit.
List<float[]> readDigits() throws IOException {
    List<float[]> samples = new ArrayList<>();
    try (BufferedReader in = new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(findData()))))) {
        for (String line; (line = in.readLine()) != null; ) {
            String[] numbers = line.split(",");
            float[] sample = new float[PIXELS + 1];
            for (int i = 0; i <= PIXELS; i++) sample[i] = Float.parseFloat(numbers[i]);
            samples.add(sample);
        }
    }
    return samples;
}

/// Returns examples/data/digits.csv.gz in the working directory, or in or above the directory of this class.
Path findData() throws IOException {
    String name = "data/digits.csv.gz";
    List<Path> places = new ArrayList<>(List.of(Path.of("examples", name), Path.of(name)));
    var source = getClass().getProtectionDomain().getCodeSource();
    if (source != null && source.getLocation() != null && "file".equals(source.getLocation().getProtocol())) {
        for (Path p = Path.of(source.getLocation().getPath()); p != null; p = p.getParent()) {
            places.add(p.resolve(name));
            places.add(p.resolve("examples").resolve(name));
        }
    }
    for (Path place : places) if (Files.isReadable(place)) return place;
    throw new FileNotFoundException("no examples/" + name + " in " + Path.of("").toAbsolutePath() + "; run from the root of"
            + " the project");
}
