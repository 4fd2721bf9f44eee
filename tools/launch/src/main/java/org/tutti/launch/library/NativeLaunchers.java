package org.tutti.launch.library;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.JobText;
import org.tutti.launch.UsageException;
import org.tutti.launch.machine.CommandOutput;
import org.tutti.launch.machine.SearchPath;
import org.tutti.launch.place.SlurmAllocation;
import org.tutti.launch.run.EngineChoice;
import org.tutti.launch.run.Run;

/// Selects the native launcher for a run: the library's launcher, or Slurm's.
public final class NativeLaunchers {
    /// A family of libraries. The launchers of a family have the same option syntax.
    enum Family {
        OPEN_MPI(EngineChoice.OPEN_MPI, "Open MPI", "pmix", "Open MPI", "PRRTE", "OpenRTE"),
        MPICH(EngineChoice.MPICH, "MPICH", "pmi2", "HYDRA", "MPICH", "Intel(R) MPI");

        private final String word;
        private final String title;

        /// The process manager interface that Slurm must use for this family.
        private final String pmi;

        private final String[] versionText;

        Family(String word, String title, String pmi, String... versionText) {
            this.word = word;
            this.title = title;
            this.pmi = pmi;
            this.versionText = versionText;
        }

        String word() {
            return word;
        }

        String title() {
            return title;
        }

        private boolean matches(String version) {
            for (String w : versionText) if (version.contains(w)) return true;
            return false;
        }
    }

    private static final String[] OPEN_MPI_NAMES = {"mpirun.openmpi", "mpiexec.openmpi"};
    private static final String[] MPICH_NAMES = {"mpiexec.hydra", "mpiexec.mpich", "mpirun.mpich"};
    private static final String[] COMMON_NAMES = {"mpirun", "mpiexec", "orterun", "prterun"};
    private static final byte[] ONLY_IN_OPEN_MPI = "ompi_mpi_comm_world".getBytes(StandardCharsets.US_ASCII);

    private NativeLaunchers() {}

    /// The launcher of a library, in contrast to Slurm's.
    ///
    /// @param library the library for the engine: `openmpi`, `mpich`, `abi`, or a path
    private record Own(Family family, Path command, String library) {
        NativeLauncher launcher() {
            return switch (family) {
                case OPEN_MPI -> new OpenMpiLauncher(command, library);
                case MPICH -> new HydraLauncher(command, library);
            };
        }
    }

    /// @throws UsageException if this machine has no suitable launcher
    public static NativeLauncher find(Run run) {
        Own own = run.engine().mpi() == null ? any() : named(run.engine().mpi());
        SlurmAllocation slurm = SlurmAllocation.current();
        boolean wanted = EngineChoice.SRUN.equals(run.engine().launcher());
        if (wanted && slurm == null) {
            throw new UsageException(
                    "--launcher srun: not inside a Slurm allocation; get one with salloc or sbatch, or leave"
                            + " --launcher out");
        }
        boolean possible = slurm != null
                && run.engine().launcher() == null
                && run.placement().hosts() == null;
        if (slurm == null || !wanted && !possible) return own.launcher();
        Path srun = SearchPath.first(EngineChoice.SRUN);
        String pmi = srun == null ? null : pmi(srun, own.family);
        if (srun != null && pmi != null) return new SlurmLauncher(srun, own.library, pmi, slurm);
        if (!wanted) return own.launcher(); // this launcher detects the allocation, too
        throw new UsageException("--launcher srun: "
                + (srun == null
                        ? "srun is not on the PATH"
                        : own.family.title + " needs srun --mpi=" + own.family.pmi
                                + ", and srun --mpi=list does not list it; leave --launcher out: Tutti uses"
                                + " the library's launcher"));
    }

    /// Returns the family's process manager interface, as an option value of `srun`; null if `srun` does not
    /// support it.
    private static @Nullable String pmi(Path srun, Family family) {
        String list = output(srun, "--mpi=list");
        for (String word : list.split("[\\s,]+")) if (word.equals(family.pmi)) return word;
        return null;
    }

    private static Own any() {
        Own found = own(Family.OPEN_MPI);
        if (found == null) found = own(Family.MPICH);
        if (found != null) return found;
        throw new UsageException("--engine libmpi needs Open MPI's mpirun or MPICH's mpiexec, and neither is on the"
                + " PATH" + unknown() + "; install one (apt-get install openmpi-bin, or mpich), or use --engine shm");
    }

    private static Own named(String mpi) {
        if (mpi.equals(EngineChoice.STANDARD_ABI)) {
            Own any = any(); // init reports the library
            return new Own(any.family, any.command, EngineChoice.STANDARD_ABI);
        }
        for (Family family : Family.values()) {
            if (!mpi.equals(family.word)) continue;
            Own found = own(family);
            if (found != null) return found;
            throw new UsageException(
                    "--mpi " + mpi + ": no launcher of " + family.title + " is on the PATH" + unknown());
        }
        return fromSameInstallation(mpi);
    }

    /// Returns the launcher for the file of a library, preferably from the same installation.
    private static Own fromSameInstallation(String path) {
        try {
            if (!Files.isRegularFile(Path.of(path))) {
                throw new UsageException("--mpi " + path + ": "
                        + (path.contains("/") && !Files.exists(Path.of(path)) ? "the file does not exist; " : "")
                        + "give openmpi, mpich, abi or the file of a library (libmpi.so)");
            }
            Path library = Path.of(path).toRealPath();
            Family family = contains(Files.readAllBytes(library), ONLY_IN_OPEN_MPI) ? Family.OPEN_MPI : Family.MPICH;
            for (Path up = library.getParent(); up != null; up = up.getParent()) {
                for (String name : COMMON_NAMES) {
                    Path command = up.resolve("bin").resolve(name);
                    if (Files.isExecutable(command) && family.matches(version(command))) {
                        return new Own(family, command, library.toString());
                    }
                }
            }
            Own found = own(family);
            if (found != null) return new Own(family, found.command, library.toString());
            throw new UsageException("--mpi " + path + " is a library of " + family.title
                    + ", whose launcher was not found, in the same installation or on the PATH");
        } catch (IOException e) {
            throw new UsageException("--mpi " + path + " cannot be read: " + JobText.reason(e));
        }
    }

    private static @Nullable Own own(Family family) {
        Path command = ownCommand(family);
        return command == null ? null : new Own(family, command, family.word);
    }

    /// Returns the launcher of this family; null if not installed.
    static @Nullable Path ownCommand(Family family) {
        for (String name : family == Family.OPEN_MPI ? OPEN_MPI_NAMES : MPICH_NAMES) {
            Path command = SearchPath.first(name);
            if (command != null) return command;
        }
        for (String name : COMMON_NAMES) {
            Path command = SearchPath.first(name);
            if (command != null && family.matches(version(command))) return command;
        }
        return null;
    }

    /// Returns a note about a launcher on the PATH that cannot be identified, or an empty string.
    private static String unknown() {
        for (String name : COMMON_NAMES) {
            Path command = SearchPath.first(name);
            if (command == null || familyOf(command) != null) continue;
            return " (" + command + " --version prints no known version, or takes longer than "
                    + CommandOutput.LONGEST.toSeconds() + " s)";
        }
        return "";
    }

    /// Returns the family according to the launcher's version text; null if unknown.
    static @Nullable Family familyOf(Path command) {
        String version = version(command);
        for (Family family : Family.values()) if (family.matches(version)) return family;
        return null;
    }

    /// Returns the version text of a launcher.
    static String version(Path command) {
        return output(command, "--version");
    }

    private static String output(Path command, String option) {
        CommandOutput asked = CommandOutput.of(List.of(command.toString(), option), environment -> {});
        return asked == null ? "" : asked.out();
    }

    private static boolean contains(byte[] bytes, byte[] word) {
        for (int i = 0; i + word.length <= bytes.length; i++) {
            int k = 0;
            while (k < word.length && bytes[i + k] == word[k]) k++;
            if (k == word.length) return true;
        }
        return false;
    }
}
