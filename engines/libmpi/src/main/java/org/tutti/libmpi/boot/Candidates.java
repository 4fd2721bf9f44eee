package org.tutti.libmpi.boot;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment.Pmi;

/// The libraries to try, in order.
///
/// With a launcher, unversioned names are last: a distribution's `libmpi.so` refers to one implementation,
/// regardless of the launcher, and with the wrong implementation every process would be rank 0 of 1.
final class Candidates {
    private static final List<String> OPEN_MPI = List.of("libmpi.so.40", "libmpi_ibm.so.3");
    private static final List<String> MPICH = List.of("libmpi.so.12", "libmpich.so.12", "libmpi_cray.so.12");
    private static final List<String> STANDARD = List.of("libmpi_abi.so.1");
    private static final List<String> GENERIC = List.of("libmpi.so");
    private static final List<String> MAC_OPEN_MPI = List.of("libmpi.40.dylib", "libmpi.dylib");
    private static final List<String> MAC_MPICH = List.of("libmpi.12.dylib", "libmpi.dylib");
    private static final List<String> MAC_STANDARD = List.of("libmpi_abi.1.dylib", "libmpi_abi.dylib");

    private Candidates() {}

    /// @param wish the requested library: `openmpi`, `mpich`, `abi` for the MPI 5 standard ABI, a path, or a
    ///     library name
    /// @param pmi the launcher's protocol
    /// @param openMpiDirectory the library directory reported by Open MPI 5 and later
    static List<String> of(@Nullable String wish, Pmi pmi, @Nullable String openMpiDirectory, boolean mac) {
        List<String> openMpi = new ArrayList<>();
        if (openMpiDirectory != null) openMpi.add(openMpiDirectory + (mac ? "/libmpi.dylib" : "/libmpi.so.40"));
        openMpi.addAll(mac ? MAC_OPEN_MPI : OPEN_MPI);
        List<String> mpich = mac ? MAC_MPICH : MPICH;
        List<String> standard = mac ? MAC_STANDARD : STANDARD;
        LinkedHashSet<String> names = new LinkedHashSet<>();
        if (wish != null) {
            switch (wish) {
                case "openmpi" -> names.addAll(openMpi);
                case "mpich" -> names.addAll(mpich);
                case "abi" -> names.addAll(standard);
                default -> names.add(wish);
            }
            return List.copyOf(names);
        }
        switch (pmi) {
            case PMIX -> {
                names.addAll(openMpi);
                names.addAll(standard);
                names.addAll(GENERIC);
            }
            case PMI -> {
                names.addAll(mpich);
                names.addAll(standard);
                names.addAll(GENERIC);
            }
            case NONE -> {
                names.addAll(GENERIC);
                names.addAll(standard);
                names.addAll(openMpi);
                names.addAll(mpich);
            }
        }
        return List.copyOf(names);
    }
}
