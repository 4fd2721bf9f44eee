package org.tutti.bench.compare;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.plan.KernelSize;

/// What `tutti bench compare` is asked to do.
///
/// @param launches of each contender and test
/// @param ranks of collective operations and kernels; empty for those of each test
/// @param sizes in bytes; empty for those of each test
/// @param kernelSize how many iterations kernels run
/// @param who `shm`, `libmpi`, `c`, `mpi4py`
/// @param bindTo `none` or `core`, for all alike
/// @param threadMultiple whether C asks for `MPI_THREAD_MULTIPLE`
/// @param busy so many threads compete for the cores with whoever is measured
/// @param out where files are written; null for none
/// @param tutti the command line of Tutti, for its start-up
/// @param version of Tutti
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
    /// All words of `who`.
    public static final List<String> EVERYBODY = List.of("shm", "libmpi", "c", "mpi4py");
}
