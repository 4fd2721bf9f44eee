package org.tutti.bench.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tutti.launch.library.NativeLibrary;
import org.tutti.launch.machine.SearchPath;

/// mpi4py over the library that it was built for: buffers, pickled objects, and the start of mpi4py's hello
/// world.
///
/// @param version the version of mpi4py
record PythonContender(Path python, NativeLibrary library, String version, Path script, String bindTo, Duration limit)
        implements Contender {
    private static final String PROBE = "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI;"
            + " print(mpi4py.__version__, MPI.Get_library_version().split(',')[0])";

    /// Returns the first Python of the `PATH` that has mpi4py.
    ///
    /// @throws TrialException if no Python has it, or if the library is not installed
    static PythonContender find(List<NativeLibrary> libraries, Path script, String bindTo, Duration limit)
            throws TrialException, InterruptedException {
        for (Path python : SearchPath.all("python3")) {
            String words;
            try {
                words = ChildProcess.run(List.of(python.toString(), "-c", PROBE), limit)
                        .output()
                        .strip();
            } catch (TrialException e) {
                continue; // no mpi4py
            }
            String[] parts = words.split(" ", 2);
            for (NativeLibrary library : libraries) {
                if (parts.length == 2 && parts[1].startsWith(library.title())) {
                    return new PythonContender(python, library, parts[0], script, bindTo, limit);
                }
            }
            throw new TrialException("mpi4py: " + python + " has it for " + words + ", which is not installed");
        }
        throw new TrialException("mpi4py: no python3 on the PATH has it (apt-get install python3-mpi4py)");
    }

    @Override
    public String name(CompareTest test) {
        return "mpi4py, " + library.title();
    }

    @Override
    public boolean supports(CompareTest test) {
        return test == CompareTest.LATENCY || test == CompareTest.OBJECT || test == CompareTest.STARTUP;
    }

    @Override
    public Map<Long, Double> run(CompareTest test, int ranks, List<Long> sizes)
            throws TrialException, InterruptedException {
        List<String> command = new ArrayList<>(library.start(ranks, bindTo));
        command.add(python.toString());
        if (test == CompareTest.STARTUP) {
            command.addAll(List.of("-m", "mpi4py.bench", "helloworld"));
            return Map.of(0L, ChildProcess.run(command, limit).seconds());
        }
        command.add(script.toString());
        command.add(test.word());
        command.add(sizes.stream().map(String::valueOf).collect(Collectors.joining(",")));
        return ChildProcess.run(command, limit).rows();
    }
}
