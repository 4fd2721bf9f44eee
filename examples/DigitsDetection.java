/*
 * Trains a small one-stage detector of libtorch to locate and classify handwritten digits in pictures,
 * data-parallel, and measures the average precision (AP50) over all ranks.
 *
 * A picture of 32 x 32 pixels shows one to three digits of 9 to 16 pixels, generated for each step from the seed
 * and the picture's number. For each of 8 x 8 cells the network predicts whether the centre of a digit is in the
 * cell, the bounding box, and the digit. Training and test use different digits.
 *
 *     ./tutti run --with torch -n 2 examples/DigitsDetection.java
 *
 *     step 50: loss …, … samples/s, communication … %
 *     …
 *     AP50: 0.9… (mean over 10 digits; 300 pictures, … digits)
 *
 * Arguments: steps=400 batch=64 seed=2 data=FILE
 */

import java.util.zip.GZIPInputStream;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.RateSchedule;
import org.tutti.train.log.TrainingLog;
import org.tutti.train.torch.LearningRate;
import org.tutti.train.torch.SyncBatchNorm;
import org.tutti.train.torch.TorchModel;

import static org.bytedeco.pytorch.global.torch.*;

static final int GLYPH = 8, PIXELS = GLYPH * GLYPH, TEST_DIGITS = 360, TEST_PICTURES = 300;
static final int SIDE = 32, CELL = 4, CELLS = SIDE / CELL, DIGITS = 10, OUTPUTS = 5 + DIGITS;
static final double INK = 0.25, TYPICAL_SIZE = 10, LEAST_SCORE = 0.05, SAME_OBJECT = 0.5;

/// Corners in pixels.
record Box(double left, double top, double right, double bottom) {
    double area() {
        return Math.max(0, right - left) * Math.max(0, bottom - top);
    }

    /// Intersection over union.
    double iou(Box other) {
        double both = new Box(
                        Math.max(left, other.left),
                        Math.max(top, other.top),
                        Math.min(right, other.right),
                        Math.min(bottom, other.bottom))
                .area();
        return both == 0 ? 0 : both / (area() + other.area() - both);
    }

    int cell() {
        return (int) ((top + bottom) / 2 / CELL) * CELLS + (int) ((left + right) / 2 / CELL);
    }
}

/// A digit in a picture: a real one with score 1, or a detected one.
record Item(int digit, Box box, double score) {}

record Picture(float[] pixels, List<Item> items) {
    /// Draws one to three digits that do not overlap, on noise. Equal `seed` and `number` result in the same
    /// picture.
    static Picture of(List<float[]> digits, long seed, long number) {
        SplittableRandom random = new SplittableRandom(seed * 1_000_003 + number);
        Picture picture = new Picture(new float[SIDE * SIDE], new ArrayList<>());
        for (int i = 0; i < picture.pixels.length; i++) picture.pixels[i] = (float) random.nextDouble(0.15);
        int wanted = random.nextInt(1, 4);
        for (int i = 0; i < 20 && picture.items.size() < wanted; i++) {
            int size = random.nextInt(9, 17);
            picture.draw(
                    digits.get(random.nextInt(digits.size())),
                    size,
                    random.nextInt(SIDE - size + 1),
                    random.nextInt(SIDE - size + 1));
        }
        return picture;
    }

    /// Draws a digit and adds it to the items; has no effect if its box would overlap the box of another digit.
    private void draw(float[] glyph, int size, int x, int y) {
        int left = SIDE, top = SIDE, right = 0, bottom = 0;
        float[] scaled = new float[size * size];
        for (int row = 0; row < size; row++) {
            for (int column = 0; column < size; column++) {
                float ink = between(glyph, (row + 0.5) * GLYPH / size - 0.5, (column + 0.5) * GLYPH / size - 0.5);
                scaled[row * size + column] = ink;
                if (ink < INK) continue;
                left = Math.min(left, x + column);
                right = Math.max(right, x + column + 1);
                top = Math.min(top, y + row);
                bottom = Math.max(bottom, y + row + 1);
            }
        }
        Box box = new Box(left, top, right, bottom);
        for (Item item : items) if (item.box.iou(box) > 0) return;
        items.add(new Item((int) glyph[PIXELS], box, 1));
        for (int row = 0; row < size; row++) {
            for (int column = 0; column < size; column++) {
                int at = (y + row) * SIDE + x + column;
                pixels[at] = Math.max(pixels[at], scaled[row * size + column]);
            }
        }
    }

    /// Bilinear interpolation.
    private static float between(float[] glyph, double row, double column) {
        double r = Math.clamp(row, 0, GLYPH - 1), c = Math.clamp(column, 0, GLYPH - 1);
        int above = Math.min((int) r, GLYPH - 2), before = Math.min((int) c, GLYPH - 2), at = above * GLYPH + before;
        double down = r - above, on = c - before;
        return (float) ((glyph[at] * (1 - on) + glyph[at + 1] * on) * (1 - down)
                + (glyph[at + GLYPH] * (1 - on) + glyph[at + GLYPH + 1] * on) * down);
    }
}

static class Detector extends Module {
    final Conv2dImpl[] convolutions = new Conv2dImpl[4];
    final SyncBatchNorm[] norms = new SyncBatchNorm[4];
    final Conv2dImpl head = register_module("head", convolution(64, OUTPUTS, 1));

    Detector(ProcessGroup group) {
        int[] channels = {1, 16, 32, 64, 64};
        for (int i = 0; i < convolutions.length; i++) {
            convolutions[i] = register_module("convolution" + i, convolution(channels[i], channels[i + 1], 3));
            norms[i] = register_module("norm" + i, new SyncBatchNorm(channels[i + 1], group));
        }
    }

    static Conv2dImpl convolution(long from, long to, long kernel) {
        Conv2dOptions options = new Conv2dOptions(from, to, new LongPointer(new long[] {kernel, kernel}));
        options.padding().put(new LongPointer(new long[] {kernel / 2, kernel / 2}));
        return new Conv2dImpl(options);
    }

    /// Returns a row for each cell of each picture: a score for the presence of a digit in the cell; the
    /// position of the digit's centre relative to the cell's corner, and the logarithms of the digit's width and
    /// height; and a score for each of the ten digits.
    Tensor forward(Tensor pictures) {
        Tensor x = pictures;
        for (int i = 0; i < convolutions.length; i++) {
            x = relu(norms[i].forward(convolutions[i].forward(x)));
            if (i < 2) x = max_pool2d(x, 2, 2);
        }
        return head.forward(x).permute(0, 2, 3, 1).reshape(-1, OUTPUTS);
    }
}

/// Returns the loss of the network's output for some pictures.
static Tensor loss(Tensor outputs, List<Picture> pictures) {
    float[] there = new float[pictures.size() * CELLS * CELLS];
    List<Item> items = pictures.stream().flatMap(p -> p.items.stream()).toList();
    long[] rows = new long[items.size()], digits = new long[items.size()];
    float[] boxes = new float[4 * items.size()];
    int at = 0;
    for (int p = 0; p < pictures.size(); p++) {
        for (Item item : pictures.get(p).items) {
            Box box = item.box;
            int row = p * CELLS * CELLS + box.cell();
            there[row] = 1;
            rows[at] = row;
            digits[at] = item.digit;
            boxes[4 * at] = (float) ((box.left + box.right) / 2 / CELL % 1);
            boxes[4 * at + 1] = (float) ((box.top + box.bottom) / 2 / CELL % 1);
            boxes[4 * at + 2] = (float) Math.log((box.right - box.left) / TYPICAL_SIZE);
            boxes[4 * at + 3] = (float) Math.log((box.bottom - box.top) / TYPICAL_SIZE);
            at++;
        }
    }
    Tensor full = outputs.index_select(0, Tensor.create(rows, rows.length));
    Tensor objects = binary_cross_entropy_with_logits(outputs.select(1, 0), Tensor.create(there, there.length));
    Tensor places = smooth_l1_loss(full.narrow(1, 1, 4), Tensor.create(boxes, rows.length, 4));
    Tensor names = cross_entropy(full.narrow(1, 5, DIGITS), Tensor.create(digits, digits.length));
    // the three losses are means over all cells, or over all digits; the factors turn each into a mean over
    // pictures of the sum within a picture, because the ranks' gradients are weighted by numbers of pictures
    double digitsPerPicture = (double) rows.length / pictures.size();
    return objects.mul(new Scalar(CELLS * CELLS))
            .add(places.mul(new Scalar(20 * digitsPerPicture)))
            .add(names.mul(new Scalar(digitsPerPicture)));
}

static Tensor tensor(List<Picture> pictures) {
    float[] all = new float[pictures.size() * SIDE * SIDE];
    for (int i = 0; i < pictures.size(); i++) {
        System.arraycopy(pictures.get(i).pixels, 0, all, i * SIDE * SIDE, SIDE * SIDE);
    }
    return Tensor.create(all, pictures.size(), 1, SIDE, SIDE);
}

void main(String[] args) throws IOException {
    int steps = number("steps", 400, args), batchSize = number("batch", 64, args), seed = number("seed", 2, args);
    try (ProcessGroup group = ProcessGroup.init(); TrainingLog log = TrainingLog.of(group).withInterval(50)) {
        List<float[]> samples = readDigits(args);
        Collections.shuffle(samples, new Random(seed)); // the same on every rank
        List<float[]> test = samples.subList(0, TEST_DIGITS), train = samples.subList(TEST_DIGITS, samples.size());

        manual_seed(seed);
        Detector detector = new Detector(group);
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(detector), group);
        Adam optimizer = new Adam(detector.parameters(), new AdamOptions(4e-3));
        RateSchedule rates = RateSchedule.cosine(4e-3, 1e-5, steps).withWarmup(20);
        int step = 0;
        for (Batch batch : DistributedSampler.of(steps * batchSize, group).withEpoch(0).globalBatches(batchSize)) {
            try (Step s = ddp.step(batch.size())) {
                List<Picture> mine = Arrays.stream(batch.samples())
                        .mapToObj(number -> Picture.of(train, seed, number))
                        .toList();
                LearningRate.set(optimizer, rates.at(step));
                optimizer.zero_grad();
                Tensor loss = loss(detector.forward(tensor(mine)), mine);
                loss.backward();
                s.sync();
                optimizer.step();
                log.recordStep(++step, batch.size(), loss.item_float(), ddp.communicationStats());
            }
        }

        detector.eval();
        Precision precision = new Precision();
        for (Batch batch : DistributedSampler.of(TEST_PICTURES, group).batches(50)) {
            List<Picture> pictures = Arrays.stream(batch.samples())
                    .mapToObj(number -> Picture.of(test, -seed, number))
                    .toList();
            List<List<Item>> found = find(detector, pictures);
            for (int i = 0; i < pictures.size(); i++) precision.add(pictures.get(i).items, found.get(i));
        }
        double ap = precision.mean(group);
        log.print("AP50: %.3f (mean over %d digits; %d pictures, %d digits)"
                .formatted(ap, DIGITS, TEST_PICTURES, group.sum(Arrays.stream(precision.there).sum())));
    }
}

/// Returns the detections in each picture. If several boxes of the same digit overlap by more than half (IoU),
/// only the box with the highest score is returned.
static List<List<Item>> find(Detector detector, List<Picture> pictures) {
    if (pictures.isEmpty()) return List.of();
    float[] predicted = new float[pictures.size() * CELLS * CELLS * OUTPUTS];
    try (PointerScope scope = new PointerScope(); NoGradGuard noGradients = new NoGradGuard()) {
        Tensor outputs = detector.forward(tensor(pictures));
        Tensor objects = outputs.narrow(1, 0, 1).sigmoid(), digits = outputs.narrow(1, 5, DIGITS).softmax(1);
        Tensor all = cat(new TensorVector(objects, outputs.narrow(1, 1, 4), digits), 1).contiguous();
        new FloatPointer(all.data_ptr_float()).get(predicted);
    }
    List<List<Item>> found = new ArrayList<>();
    for (int p = 0; p < pictures.size(); p++) {
        List<Item> items = new ArrayList<>();
        for (int cell = 0; cell < CELLS * CELLS; cell++) {
            Item item = item(predicted, (p * CELLS * CELLS + cell) * OUTPUTS, cell);
            if (item.score >= LEAST_SCORE) items.add(item);
        }
        items.sort(Comparator.comparingDouble(Item::score).reversed());
        List<Item> kept = new ArrayList<>();
        for (Item item : items) {
            if (kept.stream().noneMatch(k -> k.digit == item.digit && k.box.iou(item.box) > SAME_OBJECT)) kept.add(item);
        }
        found.add(kept);
    }
    return found;
}

static Item item(float[] predicted, int at, int cell) {
    int digit = 0;
    for (int d = 1; d < DIGITS; d++) if (predicted[at + 5 + d] > predicted[at + 5 + digit]) digit = d;
    double x = (cell % CELLS + predicted[at + 1]) * CELL, y = (cell / CELLS + predicted[at + 2]) * CELL;
    double halfWidth = Math.exp(predicted[at + 3]) * TYPICAL_SIZE / 2, halfHeight = Math.exp(predicted[at + 4]) * TYPICAL_SIZE / 2;
    return new Item(
            digit,
            new Box(x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight),
            predicted[at] * predicted[at + 5 + digit]);
}

/// Average precision at an overlap (IoU) of 0.5: for each digit the area under precision over recall, where
/// the precision at a recall is the maximum at this or any higher recall.
static class Precision {
    /// A detection: the digit, the score, and whether it is correct.
    private record Found(int digit, double score, boolean right) {
        private static final long RIGHT = 1, NONE = -1;

        /// Packs the bits of the score, the digit, and whether the detection is correct.
        long packed() {
            return (long) Float.floatToIntBits((float) score) << 32 | (long) digit << 1 | (right ? RIGHT : 0);
        }

        static Found of(long packed) {
            return new Found(
                    (int) packed >> 1, Float.intBitsToFloat((int) (packed >> 32)), (packed & RIGHT) != 0);
        }
    }

    final long[] there = new long[DIGITS];
    private final List<Found> found = new ArrayList<>();

    /// Adds a picture: the digits, and the detections by descending score. Each digit matches at most one
    /// detection.
    void add(List<Item> items, List<Item> seen) {
        for (Item item : items) there[item.digit]++;
        List<Item> left = new ArrayList<>(items);
        for (Item one : seen) {
            Item best = left.stream()
                    .filter(item -> item.digit == one.digit && item.box.iou(one.box) >= SAME_OBJECT)
                    .max(Comparator.comparingDouble(item -> item.box.iou(one.box)))
                    .orElse(null);
            if (best != null) left.remove(best);
            found.add(new Found(one.digit, one.score, best != null));
        }
    }

    /// Returns the mean of the average precision of the ten digits, over the pictures of all ranks.
    double mean(ProcessGroup group) {
        long[] mine = new long[(int) group.max(found.size())[0]]; // all ranks send the same number
        Arrays.fill(mine, Found.NONE);
        for (int i = 0; i < found.size(); i++) mine[i] = found.get(i).packed();
        List<Found> all = Arrays.stream(group.allgather(mine))
                .filter(packed -> packed != Found.NONE)
                .mapToObj(Found::of)
                .sorted(Comparator.comparingDouble(Found::score).reversed())
                .toList();
        double[] total = group.sum(Arrays.stream(there).asDoubleStream().toArray());
        double sum = 0;
        for (int d = 0; d < DIGITS; d++) {
            int digit = d;
            sum += average(all.stream().filter(f -> f.digit == digit).toList(), total[d]);
        }
        return sum / DIGITS;
    }

    private static double average(List<Found> found, double there) {
        double[] precision = new double[found.size()];
        int right = 0;
        for (int i = 0; i < precision.length; i++) {
            if (found.get(i).right) right++;
            precision[i] = (double) right / (i + 1);
        }
        double best = 0, area = 0;
        for (int i = precision.length - 1; i >= 0; i--) {
            best = Math.max(best, precision[i]);
            if (found.get(i).right) area += best / there;
        }
        return area;
    }
}

/// A sample consists of the pixels, scaled to 0 … 1, followed by the digit.
List<float[]> readDigits(String[] args) throws IOException {
    Path file = findData(args);
    List<float[]> samples = new ArrayList<>();
    try (BufferedReader in = new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(file))))) {
        for (String line; (line = in.readLine()) != null; ) {
            String[] numbers = line.split(",");
            if (numbers.length != PIXELS + 1) {
                throw new IOException(file + ", line " + (samples.size() + 1) + ": " + numbers.length + " numbers, not 65");
            }
            float[] sample = new float[PIXELS + 1];
            for (int i = 0; i <= PIXELS; i++) sample[i] = Float.parseFloat(numbers[i]) / (i < PIXELS ? 16 : 1);
            samples.add(sample);
        }
    }
    if (samples.size() <= TEST_DIGITS) {
        throw new IOException(file + " has " + samples.size() + " samples; the test needs " + TEST_DIGITS);
    }
    return samples;
}

/// Returns data=FILE; otherwise examples/data/digits.csv.gz in the working directory, or in or above the
/// directory of this class.
Path findData(String[] args) throws IOException {
    String name = "data/digits.csv.gz", asked = argument("data", "", args);
    if (!asked.isEmpty()) return Path.of(asked);
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
            + " the project, or pass data=FILE");
}

static int number(String name, int otherwise, String[] args) {
    return Integer.parseInt(argument(name, Integer.toString(otherwise), args));
}

static String argument(String name, String otherwise, String[] args) {
    for (String arg : args) if (arg.startsWith(name + "=")) return arg.substring(name.length() + 1);
    return otherwise;
}
