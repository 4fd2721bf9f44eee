/*
 * Trains a BERT from Python to recognize verses with shuffled words.
 *
 * The model is a file of torch.export with random weights, written by examples/data/models.py. The loss is part of
 * the file. The tokenizer of Hugging Face is a library of DJL. In each step, half of the verses are shuffled.
 *
 *     ./tutti run --with torch -n 2 examples/VerseOrder.java examples/data/
 *
 *     step 100: loss …
 *     …
 *     right: … of 300
 *
 * Arguments: the directory of the data, epochs=8 save=DIRECTORY (the weights, as safetensors with Python's names)
 */

//DEPS ai.djl.huggingface:tokenizers:0.38.0
//DEPS org.slf4j:slf4j-nop:2.0.17

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.log.TrainingLog;
import org.tutti.train.torch.TorchModel;
import org.tutti.train.torch.TorchState;
import org.tutti.train.torch.graph.GraphModel;
import org.tutti.train.torch.graph.Outputs;

static final int TEST = 150;

/// A verse, or a verse with shuffled words.
record Sample(String text, boolean isOriginal) {
    static Sample shuffled(String verse, Random random) {
        List<String> words = Arrays.asList(verse.split(" "));
        Collections.shuffle(words, random);
        return new Sample(String.join(" ", words), false);
    }
}

void main(String[] args) throws IOException {
    Path data = Path.of(args.length == 0 ? "examples/data" : args[0]);
    int epochs = Integer.parseInt(argument("epochs", "8", args));
    String save = argument("save", "", args);
    System.setProperty("ai.djl.offline", "true");                       // the tokenizer does not access the network
    try (ProcessGroup group = ProcessGroup.init();
            TrainingLog log = TrainingLog.of(group).withInterval(100);
            HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.newInstance(data.resolve("verse-bert/tokenizer.json"))) {
        List<String> verses = new ArrayList<>(Files.readAllLines(data.resolve("proverbs.txt")));
        Collections.shuffle(verses, new Random(1));                     // the same order on every rank
        List<String> train = verses.subList(TEST, verses.size());

        GraphModel bert = GraphModel.read(data.resolve("verse-bert/model.pt2"));
        org.bytedeco.pytorch.global.torch.manual_seed(1 + group.rank()); // dropout differs per rank
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(bert), group);
        AdamW optimizer = new AdamW(bert.parameters(), new AdamWOptions(2e-3));
        int step = 0;
        for (int epoch = 0; epoch < epochs; epoch++) {
            for (Batch batch : DistributedSampler.of(train.size(), group).withShuffle(1).withEpoch(epoch).globalBatches(16)) {
                List<Sample> samples = new ArrayList<>();
                for (int i : batch.samples()) {
                    samples.add(new Sample(train.get(i), true));
                    samples.add(Sample.shuffled(train.get(i), new Random(31L * epoch + i)));
                }
                try (Step s = ddp.step(samples.size())) {
                    optimizer.zero_grad();
                    double loss = 0;
                    if (!samples.isEmpty()) {
                        Tensor mean = bert.run(inputs(tokenizer, samples)).get("loss");
                        mean.backward();
                        loss = mean.item_double();
                    }
                    s.sync();
                    optimizer.step();
                    log.recordStep(++step, samples.size(), loss, ddp.communicationStats());
                }
            }
        }

        bert.eval();                                                    // dropout off, in the same graph
        Random random = new Random(2);
        List<Sample> tests = new ArrayList<>();
        for (String verse : verses.subList(0, TEST)) tests.addAll(List.of(new Sample(verse, true), Sample.shuffled(verse, random)));
        List<Sample> mine = Arrays.stream(DistributedSampler.of(tests.size(), group).samples()).mapToObj(tests::get).toList();
        double right = group.sum(countCorrect(bert, tokenizer, mine));
        log.print("right: %.0f of %d".formatted(right, tests.size()));
        if (!save.isEmpty() && group.rank() == 0) save(bert, Path.of(save));
    }
}

/// Returns the arguments of BERT's forward. All verses of a batch have the length of the longest one.
static Map<String, Tensor> inputs(HuggingFaceTokenizer tokenizer, List<Sample> samples) {
    Encoding[] encodings = tokenizer.batchEncode(samples.stream().map(Sample::text).toList());
    int length = encodings[0].getIds().length;
    long[] ids = new long[encodings.length * length], mask = new long[ids.length], labels = new long[encodings.length];
    for (int i = 0; i < encodings.length; i++) {
        System.arraycopy(encodings[i].getIds(), 0, ids, i * length, length);
        System.arraycopy(encodings[i].getAttentionMask(), 0, mask, i * length, length);
        labels[i] = samples.get(i).isOriginal() ? 1 : 0;
    }
    return Map.of(
            "input_ids", Tensor.create(ids, labels.length, length),
            "attention_mask", Tensor.create(mask, labels.length, length),
            "labels", Tensor.create(labels, labels.length));
}

static int countCorrect(GraphModel bert, HuggingFaceTokenizer tokenizer, List<Sample> samples) {
    int right = 0;
    for (int from = 0; from < samples.size(); from += 32) {
        List<Sample> part = samples.subList(from, Math.min(samples.size(), from + 32));
        try (PointerScope scope = new PointerScope(); NoGradGuard noGradients = new NoGradGuard()) {
            Outputs outputs = bert.run(inputs(tokenizer, part));
            Tensor guesses = outputs.get("logits").argmax(new org.bytedeco.pytorch.LongOptional(1), false);
            for (int i = 0; i < part.size(); i++) {
                if ((guesses.get(i).item_long() == 1) == part.get(i).isOriginal()) right++;
            }
        }
    }
    return right;
}

static void save(GraphModel bert, Path directory) throws IOException {
    Files.createDirectories(directory);
    try (FileChannel file = FileChannel.open(directory.resolve("model.safetensors"), StandardOpenOption.WRITE,
            StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
        TorchState.of(bert, null, Map.of("format", "pt")).write(file);
    }
}

static String argument(String name, String otherwise, String[] args) {
    for (String arg : args) if (arg.startsWith(name + "=")) return arg.substring(name.length() + 1);
    return otherwise;
}
