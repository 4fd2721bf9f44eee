/*
 * Trains a classifier for a CSV file: a line with names, then lines of numbers with the class in the last column.
 *
 * Every fifth row is for the test. The predictions of all ranks are gathered, so rank 0 can list the mistakes.
 *
 *     ./tutti run --with torch -n 2 examples/CsvClassifier.java examples/data/plants.csv
 *
 *     right: … of 30
 *     …
 */

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.*;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.torch.TorchModel;

import static org.bytedeco.pytorch.global.torch.*;

void main(String[] args) throws IOException {
    if (args.length != 1) throw new IllegalArgumentException("give a CSV file, such as examples/data/plants.csv");
    try (ProcessGroup group = ProcessGroup.init(); PointerScope scope = new PointerScope()) {
        List<String[]> rows = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(args[0]))) rows.add(line.split(","));
        rows.removeFirst();                                             // the column names
        Collections.shuffle(rows, new Random(1));                       // the same order on every rank
        int count = rows.size(), columns = rows.getFirst().length - 1, tests = count / 5;
        List<String> classes = rows.stream().map(row -> row[columns]).distinct().sorted().toList();
        long[] labels = rows.stream().mapToLong(row -> classes.indexOf(row[columns])).toArray();
        float[] numbers = new float[count * columns];
        for (int i = 0; i < numbers.length; i++) numbers[i] = Float.parseFloat(rows.get(i / columns)[i % columns]);
        Tensor x = Tensor.create(numbers, count, columns), y = Tensor.create(labels, count);
        Tensor seen = x.narrow(0, tests, count - tests);                // the training's rows: mean 0, deviation 1
        Tensor scaled = x.sub(seen.mean(0)).div(seen.std(new long[] {0}, true, false));

        manual_seed(1);
        SequentialImpl net = new SequentialImpl();
        net.push_back(new LinearImpl(columns, 16));
        net.push_back(new ReLUImpl());
        net.push_back(new LinearImpl(16, classes.size()));
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
        Adam optimizer = new Adam(net.parameters(), new AdamOptions(0.01));
        for (int epoch = 0; epoch < 40; epoch++) {
            for (Batch batch : DistributedSampler.of(count - tests, group).withShuffle(1).withEpoch(epoch).globalBatches(16)) {
                try (Step step = ddp.step(batch.size())) {
                    optimizer.zero_grad();
                    Tensor mine = Tensor.create(batch.samples(), batch.size()).add(new Scalar(tests));
                    if (batch.size() > 0) cross_entropy(net.forward(scaled.index_select(0, mine)), y.index_select(0, mine)).backward();
                    step.sync();                                        // gradients are the mean of all samples now
                    optimizer.step();
                }
            }
        }

        int[] mine = DistributedSampler.of(tests, group).samples(), guesses = new int[mine.length];
        for (int i = 0; i < mine.length; i++) guesses[i] = net.forward(scaled.narrow(0, mine[i], 1)).argmax().item_int();
        int[] all = group.gatherForMetrics(guesses);                    // in the order of the rows
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < tests; i++) {
            if (all[i] != labels[i]) wrong.add(String.join(", ", rows.get(i)) + ": predicted " + classes.get(all[i]));
        }
        if (group.rank() > 0) return;
        IO.println("right: " + (tests - wrong.size()) + " of " + tests);
        wrong.forEach(IO::println);
    }
}
