package org.tutti.cli.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.cli.doctor.Libraries.Seen;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.launch.library.NativeLibrary;
import org.tutti.launch.machine.SearchPath;

/// Checks the MPI libraries of this machine, the launchers, and whether the default library and the default
/// launcher match.
final class MpiCheck implements DoctorCheck {
    /// A library that can be specified with `--mpi`.
    private record Family(String word, String title, String packages) {}

    private static final List<Family> FAMILIES = List.of(
            new Family("openmpi", "Open MPI", "apt-get install openmpi-bin libopenmpi3, or its module"),
            new Family("mpich", "MPICH", "apt-get install mpich libmpich12, or its module"));
    private static final String STANDARD = "mpi:abi", MPI = "mpi:";
    private static final String[] LAUNCHERS = {"mpirun", "mpiexec"};

    @Override
    public String title() {
        return "MPI";
    }

    @Override
    public void run(ExaminedMachine examined, CheckResults notes) {
        List<List<String>> probes = new ArrayList<>();
        for (Family family : FAMILIES) probes.add(List.of(MPI + family.word));
        probes.add(List.of(STANDARD));
        String asked = examined.env().get(RankEnvironment.LIBMPI);
        boolean named = asked != null && !asked.isBlank();
        if (named && FAMILIES.stream().noneMatch(family -> family.word.equals(asked))) {
            probes.add(List.of(MPI + asked));
        }
        Map<String, Seen> seen = Libraries.probe(probes);
        List<NativeLibrary> launchers = NativeLibrary.all();
        for (Family family : FAMILIES) family(family, seen.get(MPI + family.word), launchers, notes);
        Seen standard = seen.get(STANDARD);
        if (standard != null && standard.loaded()) notes.ok("the standard ABI of MPI 5: " + words(standard));
        if (named) named(String.valueOf(asked), seen, notes);
        if (launchers.isEmpty()) {
            notes.ok("no mpirun or mpiexec on the PATH: jobs run over shm, on this machine");
            return;
        }
        NativeLibrary taken = launchers.getFirst();
        for (NativeLibrary one : launchers) if (one.word().equals(asked)) taken = one;
        notes.ok("tutti run --engine libmpi" + (launchers.size() > 1 ? " without --mpi" : "") + " takes "
                + taken.title() + ", " + taken.launcher());
        path(taken, seen, notes);
    }

    private static void family(
            Family family, @Nullable Seen library, List<NativeLibrary> launchers, CheckResults notes) {
        NativeLibrary launcher = null;
        for (NativeLibrary one : launchers) if (one.word().equals(family.word)) launcher = one;
        Seen here = library != null && library.loaded() ? library : null;
        String why = library == null ? "it was not checked" : library.where();
        if (here != null && launcher != null) {
            notes.ok(
                    words(here) + transports(family, launcher) + "; " + launcher.launcher() + " " + launcher.version());
        } else if (here != null) {
            notes.warn(
                    words(here) + ", but no launcher of it is on the PATH",
                    family.packages + "; or put its bin directory on the PATH");
        } else if (launcher != null && library != null && library.isUnknown()) {
            notes.warn(
                    launcher.launcher() + " is " + family.title + "'s (" + launcher.version()
                            + "), but it is unknown whether its library can be loaded: " + why,
                    "try again when the machine is less busy");
        } else if (launcher != null) {
            notes.fails(
                    launcher.launcher() + " is " + family.title + "'s (" + launcher.version()
                            + "), but its library cannot be loaded: " + why,
                    family.packages + "; or name its file: TUTTI_LIBMPI=/path/to/libmpi.so, or LD_LIBRARY_PATH");
        } else if (library != null && library.broken()) {
            notes.warn(family.title + ": " + why, "reinstall it; until then use another library, or shm");
        } else {
            notes.ok(family.title + " is not installed (" + why + ")");
        }
    }

    private static void named(String asked, Map<String, Seen> seen, CheckResults notes) {
        Seen library = seen.get(MPI + asked);
        String words = RankEnvironment.LIBMPI + "=" + asked;
        if (library != null && library.loaded()) {
            notes.ok(words + " is " + words(library));
        } else {
            notes.fails(
                    words + " cannot be loaded" + (library == null ? "" : ": " + library.where()),
                    "unset " + RankEnvironment.LIBMPI + ", or set it to openmpi, mpich, abi or the file of a library");
        }
    }

    /// Returns version, file and ABI.
    private static String words(Seen library) {
        String[] detail = library.detail().split(" ", 2);
        String device = detail.length > 1 && !detail[1].isBlank() ? ", device " + detail[1].strip() : "";
        String abi = switch (detail[0]) {
            case "OPEN_MPI" -> "Open MPI's";
            case "STANDARD" -> "the standard's";
            default -> detail[0] + "'s";
        };
        // Open MPI's version is followed by package and date
        int comma = library.version().indexOf(',');
        String version = comma < 0 ? library.version() : library.version().substring(0, comma);
        return version + " (" + library.where() + ", ABI " + abi + device + ")";
    }

    /// Returns the transports of Open MPI; empty for MPICH, which reports a device instead (see [#words]).
    private static String transports(Family family, NativeLibrary launcher) {
        if (!family.word.equals("openmpi")) return "";
        String components = OpenMpiInfo.transports(launcher.launcher());
        return components.isEmpty() ? "" : ", messages by " + components;
    }

    private static void path(NativeLibrary taken, Map<String, Seen> seen, CheckResults notes) {
        for (String name : LAUNCHERS) {
            List<Path> found = SearchPath.all(name);
            if (found.isEmpty()) continue;
            Path first = found.getFirst();
            String word = NativeLibrary.wordOf(first);
            if (word == null) {
                notes.warn(
                        first + " is the first " + name + " on the PATH, and of an unknown library",
                        "start programs with tutti run, or by " + taken.launcher());
                continue;
            }
            Family family = FAMILIES.stream()
                    .filter(one -> one.word.equals(word))
                    .findFirst()
                    .orElseThrow();
            if (word.equals(taken.word())) {
                notes.ok(first + ", the first " + name + " on the PATH, is " + family.title + "'s, too");
                continue;
            }
            Seen library = seen.get(MPI + word);
            boolean loaded = library != null && (library.loaded() || library.isUnknown());
            String text = first + ", the first " + name + " on the PATH, is " + family.title
                    + "'s, but Tutti takes " + taken.title() + ": a program built for " + taken.title()
                    + " becomes many times rank 0 of 1 when this " + name + " starts it";
            String remedy = "start programs with tutti run, or by " + taken.launcher() + "; or put "
                    + taken.launcher().getParent() + " before " + first.getParent()
                    + " in PATH; if you want " + family.title + ": tutti run --mpi " + word;
            if (loaded) notes.warn(text, remedy);
            else notes.fails(text + ", and the library of " + family.title + " cannot be loaded", remedy);
        }
    }
}
