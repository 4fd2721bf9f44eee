// Measures how long training waits for a checkpoint: `save` returns when the data is on the disk, `saveAsync`
// when it is copied. The two alternate. Also prints the resident memory that does not belong to files.
//
//     ./tutti run -n 1 test/benchmarks/training/SaveTime.java [DIRECTORY [MEGABYTES [ROUNDS]]]

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

static final long TENSOR = 4_000_000;

void main(String[] args) throws Exception {
    Path directory = Path.of(args.length > 0 ? args[0] : "save-time");
    long bytes = 1_000_000 * Long.parseLong(args.length > 1 ? args[1] : "300");
    int rounds = Integer.parseInt(args.length > 2 ? args[2] : "8");
    List<Tensor> tensors = new ArrayList<>();
    for (int i = 0; i < bytes / TENSOR; i++) {
        MemorySegment data = Arena.ofAuto().allocate(TENSOR, 64).fill((byte) i);
        tensors.add(new Tensor(new TensorSpec("tensor" + i, DType.F32, List.of(TENSOR / 4)), data));
    }
    Safetensors state = new Safetensors(tensors, Map.of());
    double[] now = new double[rounds], later = new double[rounds];
    try (Checkpoints checkpoints = Checkpoints.open(directory)) {
        for (int i = 0; i < rounds; i++) {
            long begin = System.nanoTime();
            checkpoints.save(2 * i, state);
            now[i] = (System.nanoTime() - begin) / 1e6;
            begin = System.nanoTime();
            checkpoints.saveAsync(2 * i + 1, state);
            later[i] = (System.nanoTime() - begin) / 1e6;
            checkpoints.await();
            IO.println("save %.0f ms, saveAsync %.0f ms; %d MB resident".formatted(now[i], later[i], resident()));
        }
    }
    Arrays.sort(now);
    Arrays.sort(later);
    IO.println("%d MB, median of %d: save %.0f ms (%.0f-%.0f), saveAsync %.0f ms (%.0f-%.0f)"
            .formatted(
                    bytes / 1_000_000,
                    rounds,
                    now[rounds / 2],
                    now[0],
                    now[rounds - 1],
                    later[rounds / 2],
                    later[0],
                    later[rounds - 1]));
    try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.toList()) Files.delete(file);
    }
    Files.delete(directory);
}

static long resident() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("RssAnon:")) return Long.parseLong(line.replaceAll("\\D", "")) / 1000;
    }
    return 0;
}
