package org.tutti.libmpi.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.environment.RankEnvironment.Launcher;
import org.tutti.job.environment.RankEnvironment.Pmi;

/// Checks whether library and launcher match. If they do not, the library reports no error, and every process
/// is rank 0 of 1.
public final class LauncherAgreement {
    /// The plugins of an Open MPI that was built for srun's older interfaces, PMI-1 and PMI-2.
    private static final List<String> PLUGINS_OF_PMI = List.of("mca_pmix_s1.so", "mca_pmix_s2.so");

    private static final int PLUGIN_DEPTH = 3;

    private LauncherAgreement() {}

    /// Returns a description of a mismatch that must be detected before the library is called, because the
    /// library would end the process, as Open MPI 4 does under an srun without PMIx. Returns null if no
    /// mismatch is known.
    public static @Nullable String before(RankEnvironment environment, Library library) {
        boolean apart =
                environment.launcher() == Launcher.SLURM && environment.pmi() != Pmi.PMIX && environment.size() != 1;
        if (!apart || !library.isOpenMpi() || mayHavePmi(library)) return null;
        return "the library does not speak the PMI of srun: srun started " + ranks(environment) + " without PMIx, and "
                + name(library) + " can contact the other ranks only through PMIx; " + way(environment, library);
    }

    /// Returns a description of the mismatch if the library reports rank `rank` of `size` but the launcher
    /// started a different world, or null.
    public static @Nullable String after(RankEnvironment environment, int rank, int size, Library library) {
        boolean sameSize = environment.size() == size || environment.size() == 0;
        if (environment.launcher() == Launcher.NONE || sameSize && environment.rank() == rank) return null;
        String detail = environment.launcher() == Launcher.SLURM
                ? "the library does not speak the PMI of srun: "
                : "the launcher and the library belong to different MPIs: ";
        return detail + environment.launcher() + " started " + ranks(environment) + ", but " + name(library)
                + " sees rank " + rank + " of " + size + "; " + way(environment, library);
    }

    private static String ranks(RankEnvironment environment) {
        String number =
                environment.size() == 0 ? "ranks" : environment.size() == 1 ? "1 rank" : environment.size() + " ranks";
        return number + " (" + environment.variables() + ")";
    }

    /// Returns the library's version and file.
    public static String name(Library library) {
        // Open MPI appends the package and the repository
        return library.version().replaceFirst(", package: .*", "") + " (" + library.path() + ")";
    }

    private static String way(RankEnvironment environment, Library library) {
        return switch (environment.launcher()) {
            case OPEN_MPI ->
                "use Open MPI's library (" + RankEnvironment.LIBMPI
                        + "=openmpi), or start with the mpirun of this library";
            case HYDRA ->
                "use MPICH's library (" + RankEnvironment.LIBMPI + "=mpich), or start with the mpirun of this library";
            case PMIX -> "use a library with PMIx, for example Open MPI's (" + RankEnvironment.LIBMPI + "=openmpi)";
            case SLURM ->
                library.isOpenMpi()
                        ? "start with srun --mpi=pmix" + other(environment, "MPICH", "mpich", Pmi.PMI)
                        : "start with srun --mpi=pmi2, or the type for which this library was built (srun --mpi=list)"
                                + other(environment, "Open MPI", "openmpi", Pmi.PMIX);
            case NONE, TUTTI -> "start with the mpirun of this library";
        };
    }

    private static String other(RankEnvironment environment, String title, String word, Pmi pmi) {
        return environment.pmi() == pmi
                ? ", or use " + title + "'s library (" + RankEnvironment.LIBMPI + "=" + word + ")"
                : "";
    }

    /// Returns whether the library may have been built for PMI-1 or PMI-2, which is possible for Open MPI up to
    /// 4. Returns true if the plugins cannot be found.
    private static boolean mayHavePmi(Library library) {
        if (!library.version().matches("Open MPI v[1-4]\\..*")) return false;
        Path directory = Path.of(library.path()).getParent();
        if (directory == null) return true;
        try (Stream<Path> files = Files.walk(directory.resolve("openmpi"), PLUGIN_DEPTH)) {
            List<String> plugins = files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.startsWith("mca_pmix_"))
                    .toList();
            return plugins.isEmpty() || plugins.stream().anyMatch(PLUGINS_OF_PMI::contains);
        } catch (IOException e) {
            return true;
        }
    }
}
