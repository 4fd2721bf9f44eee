/*
 * Trains a small transformer to generate text character by character, data-parallel, and prints a sample.
 *
 * The text is the Book of Proverbs. Each sample is a window of the text; the model predicts each character from the
 * previous ones. All ranks have the same model, so only rank 0 generates text. After the few seconds of this example
 * the text only resembles English; with steps=3000 it contains some English words.
 *
 *     ./tutti run --with torch -n 2 examples/CharLanguageModel.java
 *
 *     step 10: loss 3.…, … samples/s, communication … %
 *     …
 *     step 120: loss 2.…, … samples/s, communication … %
 *     it writes: My son, …
 *
 * Arguments: steps=120 batch=16 (over all ranks) text=FILE plot=FILE checkpoints=DIRECTORY. Training continues from
 * the newest checkpoint in that directory, on any number of ranks.
 */

import java.lang.foreign.Arena;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
import org.jspecify.annotations.Nullable;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.log.TrainingLog;
import org.tutti.train.torch.TorchModel;
import org.tutti.train.torch.TorchState;

import static org.bytedeco.pytorch.global.torch.*;

static final int CONTEXT = 48, WIDTH = 64, HEADS = 4, LAYERS = 2, SAVE_EVERY = 50;

/// Attention over the preceding characters, then a feed-forward layer.
static class Block extends Module {
    final LayerNormImpl before = register_module("before", new LayerNormImpl(new LongVector(new long[] {WIDTH})));
    final LinearImpl asked = register_module("asked", new LinearImpl(WIDTH, 3 * WIDTH));
    final LinearImpl seen = register_module("seen", new LinearImpl(WIDTH, WIDTH));
    final LayerNormImpl between = register_module("between", new LayerNormImpl(new LongVector(new long[] {WIDTH})));
    final LinearImpl wide = register_module("wide", new LinearImpl(WIDTH, 4 * WIDTH));
    final LinearImpl narrow = register_module("narrow", new LinearImpl(4 * WIDTH, WIDTH));

    /// @param x dimensions: window, character, width
    Tensor forward(Tensor x) {
        Tensor seen = x.add(attention(asked.forward(before.forward(x)), x.size(0), x.size(1)));
        return seen.add(narrow.forward(gelu(wide.forward(between.forward(seen)))));
    }

    private Tensor attention(Tensor queriesKeysValues, long windows, long letters) {
        TensorVector parts = queriesKeysValues.chunk(3, -1);
        Tensor[] byHead = new Tensor[3];
        for (int i = 0; i < 3; i++) {
            byHead[i] = parts.get(i).view(windows, letters, HEADS, WIDTH / HEADS).transpose(1, 2);
        }
        Tensor all = scaled_dot_product_attention(
                byHead[0], byHead[1], byHead[2], new TensorOptional(), 0, true, new DoubleOptional(), false);
        return seen.forward(all.transpose(1, 2).reshape(windows, letters, WIDTH));
    }
}

static class Writer extends Module {
    final EmbeddingImpl letters, places = register_module("places", new EmbeddingImpl(CONTEXT, WIDTH));
    final List<Block> blocks = new ArrayList<>();
    final LayerNormImpl last = register_module("last", new LayerNormImpl(new LongVector(new long[] {WIDTH})));
    final LinearImpl next;

    Writer(int alphabet) {
        letters = register_module("letters", new EmbeddingImpl(alphabet, WIDTH));
        for (int i = 0; i < LAYERS; i++) blocks.add(register_module("block" + i, new Block()));
        next = register_module("next", new LinearImpl(WIDTH, alphabet));
    }

    /// Returns, for each position of each window, the score of every character as the next character.
    Tensor forward(Tensor windows) {
        long[] at = new long[(int) windows.size(1)];
        Arrays.setAll(at, i -> i);
        Tensor x = letters.forward(windows).add(places.forward(Tensor.create(at, at.length)));
        for (Block block : blocks) x = block.forward(x);
        return next.forward(last.forward(x));
    }
}

void main(String[] args) throws IOException {
    int steps = Integer.parseInt(argument("steps", "120", args)), batchSize = Integer.parseInt(argument("batch", "16", args));
    try (ProcessGroup group = ProcessGroup.init(); TrainingLog log = TrainingLog.of(group).withInterval(10)) {
        String plot = argument("plot", "", args);
        if (!plot.isEmpty()) log.withPlot(Path.of(plot));
        String text = Files.readString(find("proverbs.txt", argument("text", "", args)));
        String alphabet = text.chars().distinct().sorted()
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
        long[] letters = text.chars().mapToLong(alphabet::indexOf).toArray();

        manual_seed(1);
        Writer writer = new Writer(alphabet.length());
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(writer), group);
        AdamW optimizer = new AdamW(writer.parameters(), new AdamWOptions(5e-3));

        String directory = argument("checkpoints", "", args);
        Checkpoints checkpoints = directory.isEmpty() ? null : Checkpoints.open(Path.of(directory));
        int step = 0, done = checkpoints == null ? 0 : resume(checkpoints, group, writer, optimizer, log);
        DistributedSampler sampler = DistributedSampler.of(letters.length - CONTEXT, group).withShuffle(1);
        for (int epoch = 0; step < steps; epoch++) {
            for (Batch batch : sampler.withEpoch(epoch).globalBatches(batchSize)) {
                if (step == steps) break;
                if (step++ < done) continue;                    // trained before the checkpoint
                try (Step s = ddp.step(batch.size())) {
                    float lossNow = 0;
                    optimizer.zero_grad();
                    if (batch.size() > 0) {
                        Tensor predicted = writer.forward(windows(letters, batch.samples(), 0));
                        Tensor truth = windows(letters, batch.samples(), 1);
                        Tensor loss = cross_entropy(predicted.view(-1, alphabet.length()), truth.view(-1));
                        loss.backward();
                        lossNow = loss.item_float();
                    }
                    s.sync();
                    s.clipGradNorm(1);
                    optimizer.step();
                    log.recordStep(step, batch.size(), lossNow, ddp.communicationStats());
                }
                if (checkpoints != null && (step % SAVE_EVERY == 0 || step == steps)) {
                    Safetensors state = TorchState.of(writer, optimizer, Map.of(), group);
                    if (group.rank() == 0) checkpoints.save(step, state);
                }
            }
        }
        if (group.rank() == 0) log.print("it writes: " + write(writer, alphabet, "My son, ", 100).replace("\n", " / "));
    }
}

/// Restores the newest checkpoint and returns the step; 0 without a checkpoint.
static int resume(Checkpoints checkpoints, ProcessGroup group, Writer writer, Optimizer optimizer, TrainingLog log)
        throws IOException {
    try (Arena arena = Arena.ofConfined()) {
        Checkpoints.@Nullable LoadedCheckpoint newest = checkpoints.loadNewest(group, arena);
        if (newest == null) return 0;
        TorchState.restore(newest.state(), writer, optimizer, group);
        log.print("resumed from the checkpoint of step " + newest.step());
        return (int) newest.step();
    }
}

/// Returns the windows of the text that begin `later` characters after `starts`.
static Tensor windows(long[] letters, int[] starts, int later) {
    long[] rows = new long[starts.length * CONTEXT];
    for (int i = 0; i < starts.length; i++) System.arraycopy(letters, starts[i] + later, rows, i * CONTEXT, CONTEXT);
    return Tensor.create(rows, starts.length, CONTEXT);
}

/// Appends `count` characters to `text`, each drawn with the predicted probabilities.
static String write(Writer writer, String alphabet, String text, int count) {
    StringBuilder written = new StringBuilder(text);
    manual_seed(2);
    for (int i = 0; i < count; i++) {
        try (PointerScope scope = new PointerScope(); NoGradGuard noGradients = new NoGradGuard()) {
            long[] before = written.chars().skip(Math.max(0, written.length() - CONTEXT)).mapToLong(alphabet::indexOf).toArray();
            Tensor predicted = writer.forward(Tensor.create(before, 1, before.length)).select(1, before.length - 1);
            long drawn = predicted.div(new Scalar(0.7)).softmax(-1).multinomial(1).item_long();
            written.append(alphabet.charAt((int) drawn));
        }
    }
    return written.toString();
}

/// Returns `asked` if set, otherwise examples/data/NAME in the working directory, or in or above the directory
/// of this class.
Path find(String file, String asked) throws IOException {
    if (!asked.isEmpty()) return Path.of(asked);
    String name = "data/" + file;
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
            + " the project, or pass text=FILE");
}

static String argument(String name, String otherwise, String[] args) {
    for (String arg : args) if (arg.startsWith(name + "=")) return arg.substring(name.length() + 1);
    return otherwise;
}
