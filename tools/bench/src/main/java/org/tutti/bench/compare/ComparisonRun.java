package org.tutti.bench.compare;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.plan.KernelSize;

/// The options of `tutti bench compare`.
///
/// @param launches the number of launches of each contender and test
/// @param ranks the numbers of ranks for collective operations and kernels; empty for the default of each test
/// @param sizes in bytes; empty for the default of each test
/// @param kernelSize the number of iterations of kernels
/// @param who `shm`, `libmpi`, `c`, `mpi4py`
/// @param bindTo `none` or `core`, for all contenders
/// @param threadMultiple whether C requests `MPI_THREAD_MULTIPLE`
/// @param busy the number of background threads that compete for the cores
/// @param out the directory of output files; null for none
/// @param tutti the command line of Tutti, for the start-up
/// @param version the version of Tutti
public record ComparisonRun(
        int launches,
        List<CompareTest> tests,
        List<Integer> ranks,
        List<Long> sizes,
        KernelSize kernelSize,
        List<String> who,
        String bindTo,
        boolean threadMultiple,
        int busy,
        @Nullable Path out,
        List<String> tutti,
        String version) {
    /// All values of `who`.
    public static final List<String> EVERYBODY = List.of("shm", "libmpi", "c", "mpi4py");
}
