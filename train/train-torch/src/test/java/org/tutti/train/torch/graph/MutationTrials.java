package org.tutti.train.torch.graph;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Tensor;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.torch.graph.file.ExportedProgramReader;
import org.tutti.train.torch.graph.file.ProgramMutator;
import org.tutti.train.torch.tensor.LibTorch;

/// Reads changed files, and runs the models of accepted files. Prints a line per failure, and figures at the
/// end. `MutatedProgramsTest` starts it in a separate process, because a fault of libtorch would end the
/// process.
///
///     java … MutationTrials FIRST COUNT DIRECTORY [read]
///
/// The arguments are the seed of the first file, the number of files and a directory for the files; with
/// `read`, the files are only read, and no model is run by libtorch. The last line of the output before a crash
/// is the seed of the file that caused the crash.
final class MutationTrials {
    private static final long SLOW_NANOS = 20_000_000_000L;
    private static final int LONGEST_MESSAGE = 2_000;

    private final Path directory;
    private final boolean isRun;
    private final Map<String, Map<String, Tensor>> inputs = new HashMap<>();
    private final Map<String, Integer> results = new TreeMap<>();

    private MutationTrials(Path directory, boolean isRun) {
        this.directory = directory;
        this.isRun = isRun;
    }

    public static void main(String[] args) throws IOException {
        long first = Long.parseLong(args[0]), count = Long.parseLong(args[1]);
        MutationTrials trials = new MutationTrials(Path.of(args[2]), args.length == 3);
        if (trials.isRun) new LibTorch().prepare(OptionalInt.of(1));
        for (long seed = first; seed < first + count; seed++) trials.check(seed);
        System.out.println("results " + trials.results + ", largest memory " + memory());
    }

    private static String memory() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(l -> l.startsWith("VmHWM"))
                .findFirst()
                .orElse("unknown");
    }

    private void check(long seed) throws IOException {
        ProgramMutator mutator = new ProgramMutator(seed);
        Path file = Files.write(directory.resolve("program-" + seed + ".pt2"), mutator.file());
        System.out.println("seed " + seed + ": " + mutator);
        long began = System.nanoTime();
        String result;
        try {
            result = result(file, mutator.program());
        } catch (Throwable t) { // any exception here is a fault of the reader
            StringWriter trace = new StringWriter();
            t.printStackTrace(new PrintWriter(trace));
            System.out.println("FAULT " + seed + ": " + mutator + ": " + trace);
            result = "fault";
        }
        if (System.nanoTime() - began > SLOW_NANOS) System.out.println("FAULT " + seed + ": " + mutator + ": slow");
        results.merge(result, 1, Integer::sum);
        Files.delete(file);
    }

    private String result(Path file, String program) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            ExportedProgramReader.read(file, arena);
        } catch (CheckpointException e) {
            requireSentence(e.getMessage(), file);
            return "refused";
        }
        if (!isRun) return "read";
        Map<String, Tensor> samples = inputs(program);
        try (PointerScope scope = new PointerScope()) {
            GraphModel model = GraphModel.read(file);
            model.run(samples);
            return "ran";
        } catch (CheckpointException e) {
            requireSentence(e.getMessage(), file);
            return "refused by the model";
        } catch (TrainingException e) {
            requireSentence(e.getMessage(), file);
            return "failed";
        }
    }

    private static void requireSentence(String message, Path file) {
        if (!message.contains(file.getFileName().toString())
                || message.length() > LONGEST_MESSAGE
                || message.contains("\n")) throw new AssertionError("not a sentence about the file: " + message);
    }

    private Map<String, Tensor> inputs(String program) {
        return inputs.computeIfAbsent(
                program, name -> PythonFigures.of(name.replaceFirst("-.*", "")).tensors("in."));
    }
}
