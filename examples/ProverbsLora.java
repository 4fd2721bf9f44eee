/*
 * Adapts a GPT-2 to new text with LoRA: the weights are frozen, and small additional matrices are trained.
 *
 * The model and the tokenizer are in a directory of Hugging Face's format, which also contains a file of torch.export
 * (model.pt2). examples/data/models.py has written the directory, after training the model on the first 600 verses of
 * the Book of Proverbs. Here the adapter learns the remaining verses. Ranks send only the gradients of the adapter.
 * After the training, the model continues a text.
 *
 *     ./tutti run --with torch -n 2 examples/ProverbsLora.java examples/data/
 *
 *     before: loss 3.… of verses 601 to 915
 *     step 50: loss …
 *     …
 *     after: loss 2.…; 10,240 of 58,080 numbers trained
 *     it writes: …
 *
 * Arguments: the directory of the data, steps=200 save=DIRECTORY (the adapter, which Python's peft reads)
 */

//DEPS ai.djl.huggingface:tokenizers:0.38.0
//DEPS org.slf4j:slf4j-nop:2.0.17

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.log.TrainingLog;
import org.tutti.train.torch.TorchModel;
import org.tutti.train.torch.graph.GraphModel;
import org.tutti.train.torch.graph.HubDirectory;
import org.tutti.train.torch.graph.Lora;
import org.tutti.train.torch.graph.TextGenerator;

static final int CONTEXT = 64, SEEN = 600;

void main(String[] args) throws IOException {
    Path data = Path.of(args.length == 0 ? "examples/data" : args[0]);
    int steps = Integer.parseInt(argument("steps", "200", args));
    String save = argument("save", "", args);
    System.setProperty("ai.djl.offline", "true");                       // the tokenizer does not access the network
    HubDirectory base = HubDirectory.at(data.resolve("proverbs-gpt"));
    try (ProcessGroup group = ProcessGroup.init();
            TrainingLog log = TrainingLog.of(group).withInterval(50);
            HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.newInstance(base.file("tokenizer.json"))) {
        List<String> verses = Files.readAllLines(data.resolve("proverbs.txt"));
        long[] text = verses.subList(SEEN, verses.size()).stream()         // one by one: an encoding has at most 512 tokens
                .flatMapToLong(verse -> Arrays.stream(tokenizer.encode(verse + "\n").getIds())).toArray();

        GraphModel gpt = GraphModel.read(base.file("model.pt2"));
        base.load(gpt);                                                 // the weights in model.safetensors
        log.print("before: loss %.2f of verses 601 to 915".formatted(meanLoss(gpt, text, group)));
        long all = count(gpt.parameters());
        org.bytedeco.pytorch.global.torch.manual_seed(1);
        Lora lora = Lora.on(gpt).rank(8).alpha(16).targets("c_attn", "c_proj", "c_fc");
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(gpt), group);
        AdamW optimizer = new AdamW(lora.parameters(), new AdamWOptions(3e-3));
        DistributedSampler sampler = DistributedSampler.of(text.length - CONTEXT, group).withShuffle(1);
        int step = 0;
        for (Batch batch : sampler.globalBatches(16)) {
            if (step == steps) break;
            try (Step s = ddp.step(batch.size())) {
                optimizer.zero_grad();
                double loss = 0;
                if (batch.size() > 0) {
                    Tensor mean = loss(gpt, text, batch.samples());
                    mean.backward();
                    loss = mean.item_double();
                }
                s.sync();
                optimizer.step();
                log.recordStep(++step, batch.size(), loss, ddp.communicationStats());
            }
        }
        log.print("after: loss %.2f; %,d of %,d numbers trained".formatted(meanLoss(gpt, text, group), count(lora.parameters()), all));
        if (group.rank() == 0) {
            log.print("it writes: " + write(gpt, tokenizer, "A wise", 40).replace("\n", " / "));
            if (!save.isEmpty()) lora.save(Path.of(save));
        }
    }
}

/// Returns the loss, which the model computes from the labels. The model shifts the labels by one.
static Tensor loss(GraphModel gpt, long[] text, int[] starts) {
    long[] rows = new long[starts.length * CONTEXT];
    for (int i = 0; i < starts.length; i++) System.arraycopy(text, starts[i], rows, i * CONTEXT, CONTEXT);
    Tensor windows = Tensor.create(rows, starts.length, CONTEXT);
    return gpt.run(Map.of("input_ids", windows, "labels", windows)).get("loss");
}

static double meanLoss(GraphModel gpt, long[] text, ProcessGroup group) {
    int[] starts = Arrays.stream(DistributedSampler.of(text.length / CONTEXT, group).samples()).map(i -> i * CONTEXT).toArray();
    double sum = 0;
    for (int start : starts) {
        try (PointerScope scope = new PointerScope(); NoGradGuard noGradients = new NoGradGuard()) {
            sum += loss(gpt, text, new int[] {start}).item_double();
        }
    }
    return group.sum(sum)[0] / (text.length / CONTEXT);
}

/// Continues `text` with the most probable tokens.
static String write(GraphModel gpt, HuggingFaceTokenizer tokenizer, String text, int count) {
    gpt.eval();
    long[] start = tokenizer.encode(text).getIds(), added = TextGenerator.of(gpt).withMaxTokens(count).generate(start);
    return text + tokenizer.decode(added);
}

static long count(TensorVector tensors) {
    long count = 0;
    for (long i = 0; i < tensors.size(); i++) count += tensors.get(i).numel();
    return count;
}

static String argument(String name, String otherwise, String[] args) {
    for (String arg : args) if (arg.startsWith(name + "=")) return arg.substring(name.length() + 1);
    return otherwise;
}
