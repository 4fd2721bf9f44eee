/*
 * Serves a language model: clients send the beginning of a text, and the ranks continue it.
 *
 * The model and the tokenizer are in the same directory as for ProverbsLora.java. With adapter=DIRECTORY, an
 * adapter that ProverbsLora.java has saved is added to the model and merged. Each worker has the whole model. Rank 0
 * handles requests (docs/service.md). The model computes the whole text again for each token, because an exported
 * program has no cache.
 *
 *     ./tutti run --with torch -n 3 examples/ProverbsService.java examples/data/
 *
 *     A wise …
 *     The fear of the …
 *
 * As a service:
 *
 *     ./tutti serve --with torch -n 3 examples/ProverbsService.java examples/data/ serve
 *
 *     curl -H "Authorization: Bearer $(cat tutti-serve/run-token)" -H 'Content-Type: application/json' \
 *         -d '{"text": "A wise", "tokens": 30, "temperature": 0.7, "seed": 1}' \
 *         'http://127.0.0.1:8080/v1/functions/write/jobs?wait=10'
 *
 *     {"text":"A wise …","tokens":30}
 */

//DEPS ai.djl.huggingface:tokenizers:0.38.0
//DEPS org.slf4j:slf4j-nop:2.0.17

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import org.tutti.futures.RankPool;
import org.tutti.mpi.Mpi;
import org.tutti.serve.Service;
import org.tutti.train.torch.graph.GraphModel;
import org.tutti.train.torch.graph.HubDirectory;
import org.tutti.train.torch.graph.Lora;
import org.tutti.train.torch.graph.TextGenerator;

/// @param tokens the maximum number of new tokens
/// @param temperature 0 for the most probable tokens
record Prompt(String text, int tokens, double temperature, long seed) {}

/// @param tokens the number of new tokens
record Continuation(String text, int tokens) {}

static HuggingFaceTokenizer tokenizer;
static TextGenerator generator;

/// Runs on a worker.
static Continuation write(Prompt prompt) {
    TextGenerator chosen = generator.withMaxTokens(prompt.tokens).withSeed(prompt.seed);
    if (prompt.temperature > 0) chosen = chosen.withTemperature(prompt.temperature).withTopP(0.95);
    long[] start = tokenizer.encode(prompt.text).getIds(), added = chosen.generate(start);
    long[] all = Arrays.copyOf(start, start.length + added.length);
    System.arraycopy(added, 0, all, start.length, added.length);
    return new Continuation(tokenizer.decode(all), added.length);
}

void main(String[] args) throws Exception {
    Path data = Path.of(args.length == 0 ? "examples/data" : args[0]);
    System.setProperty("ai.djl.offline", "true"); // the tokenizer does not use the network
    HubDirectory base = HubDirectory.at(data.resolve("proverbs-gpt"));
    try (Mpi mpi = Mpi.init()) {
        tokenizer = HuggingFaceTokenizer.newInstance(base.file("tokenizer.json"));
        GraphModel gpt = GraphModel.read(base.file("model.pt2"));
        base.load(gpt);
        String adapter = argument("adapter", "", args);
        if (!adapter.isEmpty()) Lora.read(gpt, Path.of(adapter)).merge();
        gpt.eval();
        generator = TextGenerator.of(gpt).withStopToken((Long) base.config().get("eos_token_id"));
        RankPool.run(mpi.world(), 0, pool -> {
            if (List.of(args).contains("serve")) {
                Service.of(pool)
                        .addFunction("write", "Continues a text.", prompt -> write(prompt), Prompt.class, Continuation.class)
                        .serve();
            } else {
                List<Prompt> prompts = List.of(new Prompt("A wise", 20, 0, 0), new Prompt("The fear of the", 20, 0.7, 1));
                for (Continuation c : pool.map(prompt -> write(prompt), prompts)) IO.println(c.text().replace('\n', ' '));
            }
        });
    }
}

static String argument(String name, String otherwise, String[] args) {
    for (String arg : args) if (arg.startsWith(name + "=")) return arg.substring(name.length() + 1);
    return otherwise;
}
