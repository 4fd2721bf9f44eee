package org.tutti.bench.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tutti.launch.library.NativeLibrary;

/// `bench.c` and `kernels.c`, compiled with the library's compiler.
///
/// @param threadMultiple whether to request `MPI_THREAD_MULTIPLE`, as Tutti does, instead of plain `MPI_Init`
record CContender(NativeLibrary library, Path program, String bindTo, boolean threadMultiple, Duration limit)
        implements Contender {

    /// @throws TrialException if the program does not compile
    static CContender compile(
            NativeLibrary library, Path source, Path kernels, String bindTo, boolean threadMultiple, Duration limit)
            throws TrialException, InterruptedException {
        Path compiler = library.compiler();
        if (compiler == null) {
            throw new TrialException("C on " + library.title() + ": its mpicc is not installed (apt-get install lib"
                    + library.word() + "-dev)");
        }
        Path program = source.resolveSibling("bench-" + library.word());
        Path object = kernels.resolveSibling("kernels-" + library.word() + ".o");
        String mpicc = compiler.toString();
        ChildProcess.run(List.of(mpicc, "-O3", "-w", "-c", "-o", object.toString(), kernels.toString()), limit);
        ChildProcess.run(
                List.of(mpicc, "-O2", "-w", "-o", program.toString(), source.toString(), object.toString()), limit);
        return new CContender(library, program, bindTo, threadMultiple, limit);
    }

    @Override
    public String name(CompareTest test) {
        return "C, " + library.title();
    }

    @Override
    public boolean supports(CompareTest test) {
        return test != CompareTest.OBJECT && test != CompareTest.STARTUP;
    }

    @Override
    public Map<Long, Double> run(CompareTest test, int ranks, List<Long> sizes)
            throws TrialException, InterruptedException {
        List<String> command = new ArrayList<>(library.start(ranks, bindTo));
        command.add(program.toString());
        command.add(test.word());
        command.add(sizes.stream().map(String::valueOf).collect(Collectors.joining(",")));
        if (threadMultiple) command.add("--thread-multiple");
        return ChildProcess.run(command, limit).rows();
    }
}
