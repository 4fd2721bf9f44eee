package org.tutti.bench.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.Bench;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.plan.BenchTest;
import org.tutti.bench.plan.Steps;
import org.tutti.bench.plan.Storage;
import org.tutti.bench.report.Result;
import org.tutti.bench.report.Screen;
import org.tutti.launch.library.NativeLibrary;
import org.tutti.launch.place.Binding;

/// Tutti over one engine, with data in one kind of memory.
///
/// @param library null for the shm engine
/// @param tutti the command line of Tutti, for the start-up
/// @param hello the program for the start-up measurement
record TuttiContender(
        @Nullable NativeLibrary library, Storage storage, String bindTo, Duration limit, List<String> tutti, Path hello)
        implements Contender {
    private static final int WINDOW = 64;

    @Override
    public String name(CompareTest test) {
        String engine = "Tutti " + (library == null ? "shm" : "over " + library.title());
        return test.isSized() ? engine + ", " + storage.word() : engine;
    }

    /// Collective operations over a library are compared only for segments, because with heap arrays only the
    /// time of copies is added. Tests without buffers, tests of files, and kernels are run only with the heap
    /// contender.
    @Override
    public boolean supports(CompareTest test) {
        return switch (test) {
            case OBJECT, STARTUP, BARRIER, COMMS, FOP_LATENCY, CAS_LATENCY -> storage == Storage.HEAP;
            case PIPELINE, GLOBAL_SUM, STENCIL, SPARSE, RANDOM_ACCESS, PARTICLES -> storage == Storage.HEAP;
            case TRANSPOSE_EXCHANGE, TRANSPOSE_ALLTOALL, TRANSPOSE_PUT, TRANSPOSE_SHARED -> storage == Storage.HEAP;
            case IO_WRITE, IO_READ, IO_WRITE_AT, IO_READ_AT, IO_WRITE_SHARED, IO_OPEN -> storage == Storage.HEAP;
            case LATENCY, BW, BIBW, COLUMN, PUT_LATENCY, GET_LATENCY, ACC_LATENCY -> true;
            case ALLREDUCE, REDUCE, REDUCE_IN_PLACE, BCAST, ALLGATHER, ALLTOALL ->
                library == null || storage == Storage.SEGMENT;
        };
    }

    @Override
    public Map<Long, Double> run(CompareTest test, int ranks, List<Long> sizes)
            throws TrialException, IOException, InterruptedException {
        if (test == CompareTest.STARTUP) return Map.of(0L, start(ranks));
        BenchTest bench = test.bench();
        BenchOptions options = new BenchOptions(
                bench,
                test.isKernel() ? List.of() : sizes,
                storage,
                bench.defaultType(),
                test.isKernel() ? 0 : BenchOptions.UNSAID,
                test.isKernel() ? Math.toIntExact(sizes.getFirst()) : BenchOptions.UNSAID,
                false,
                false,
                WINDOW,
                0,
                0,
                0,
                false,
                true,
                true,
                Steps.DEFAULT);
        Binding binding = new Binding(
                bindTo, null, null, null, ranks > Runtime.getRuntime().availableProcessors(), false);
        String engine = library == null ? "shm" : "libmpi", mpi = library == null ? null : library.word();
        Bench.Outcome ended = new Bench(ranks, engine, mpi, binding, List.of(), limit).run(options, Screen.none());
        if (SignalledException.isCode(ended.code())) throw new SignalledException(ended.code());
        if (ended.code() != 0) throw new TrialException("its job ended with exit code " + ended.code());
        Result result = ended.result();
        Map<Long, Double> values = new LinkedHashMap<>();
        for (List<Object> row : result.rows()) {
            values.put(test.isKernel() ? sizes.getFirst() : result.bytes(row), result.figure(row));
        }
        return values;
    }

    private double start(int ranks) throws TrialException, InterruptedException {
        List<String> command = new ArrayList<>(tutti);
        command.addAll(List.of("run", "-n", Integer.toString(ranks)));
        if (library != null) command.addAll(List.of("--mpi", library.word()));
        command.add(hello.toString());
        return ChildProcess.run(command, limit).seconds();
    }
}
