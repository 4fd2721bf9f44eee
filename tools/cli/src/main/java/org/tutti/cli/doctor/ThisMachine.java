package org.tutti.cli.doctor;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.cli.doctor.Libraries.Seen;
import org.tutti.cli.doctor.settings.MachineTraits;
import org.tutti.cli.doctor.settings.Owner;
import org.tutti.cli.doctor.settings.Parameters;
import org.tutti.launch.library.NativeLibrary;

/// The software installed on this machine. Each item is determined on first use.
public final class ThisMachine implements MachineTraits {
    /// Patterns that match the names of variables, for the libraries with binaries that contain the complete
    /// names of all variables.
    private static final Map<Owner, Pattern> NAMES = Map.of(
            Owner.NCCL, Pattern.compile("NCCL_[A-Z0-9_]+"),
            Owner.RCCL, Pattern.compile("[NR]CCL_[A-Z0-9_]+"),
            Owner.MPICH, Pattern.compile("MPIR_CVAR_[A-Z0-9_]+"));

    private static final Map<Owner, String> FILES = Map.of(
            Owner.NCCL, GpuCheck.NCCL,
            Owner.RCCL, GpuCheck.RCCL,
            Owner.MPICH, "mpi:mpich",
            Owner.UCX, "libucp.so.0",
            Owner.LIBFABRIC, "libfabric.so.1");

    private final ExaminedMachine examined;
    private final Map<Owner, String> versions = new EnumMap<>(Owner.class);
    private final Map<Owner, Seen> seen = new EnumMap<>(Owner.class);
    private @Nullable List<NativeLibrary> launchers;
    private @Nullable Parameters openMpi;
    private boolean openMpiAsked;

    public ThisMachine(ExaminedMachine examined) {
        this.examined = examined;
    }

    private List<NativeLibrary> launchers() {
        List<NativeLibrary> all = launchers;
        if (all == null) launchers = all = NativeLibrary.all();
        return all;
    }

    private @Nullable NativeLibrary launcher(Owner owner) {
        String word = owner == Owner.OPENMPI ? "openmpi" : "mpich";
        for (NativeLibrary library : launchers()) if (library.word().equals(word)) return library;
        return null;
    }

    /// Returns the owner of the options of `mpirun` on this machine: the launcher that Tutti would select.
    public Owner launcherTaken() {
        List<NativeLibrary> all = launchers();
        return all.isEmpty() || all.getFirst().word().equals("openmpi") ? Owner.MPIRUN : Owner.MPIEXEC;
    }

    @Override
    public @Nullable String version(Owner owner) {
        if (owner == Owner.DEVICES) return ""; // several drivers, without a common version
        if (owner == Owner.OPENMPI || owner == Owner.MPICH) {
            NativeLibrary library = launcher(owner);
            return library == null ? null : library.version();
        }
        String known = versions.get(owner);
        if (known != null) return known;
        Seen library = library(owner);
        if (library == null || !library.loaded()) return null;
        String answer = library.answer("ncclGetVersion");
        // not the answer of RCCL: it is NCCL's version number, but RCCL's releases have ROCm's version numbers
        String version = owner != Owner.NCCL || answer == null ? "" : GpuCheck.dotted(answer);
        versions.put(owner, version);
        return version;
    }

    private @Nullable Seen library(Owner owner) {
        String name = FILES.get(owner);
        if (name == null) return null;
        Seen known = seen.get(owner);
        if (known != null) return known;
        List<String> names = name.startsWith("mpi:") ? List.of(name) : GpuCheck.candidates(examined, List.of(name));
        Seen found = GpuCheck.best(name, examined, Libraries.probe(List.of(names)));
        if (found != null) seen.put(owner, found);
        return found;
    }

    @Override
    public boolean hasFabric() {
        return examined.hasFabric();
    }

    @Override
    public boolean lacksInterface(String value) {
        if (value.startsWith("^") || value.equals("all")) return false;
        for (String part : value.split(",")) {
            String name = part.strip();
            // a part with one of these characters is a network or an RDMA card, not an interface
            if (name.isEmpty() || name.contains("/") || name.contains(":")) continue;
            try {
                if (NetworkInterface.getByName(name) == null) return true;
            } catch (SocketException e) {
                return false;
            }
        }
        return false;
    }

    @Override
    public @Nullable Parameters openMpi() {
        if (!openMpiAsked) {
            openMpiAsked = true;
            NativeLibrary library = launcher(Owner.OPENMPI);
            if (library != null) {
                openMpi = Parameters.parse(OpenMpiInfo.lines(library.launcher(), "--all"));
            }
        }
        return openMpi;
    }

    @Override
    public @Nullable Set<String> names(Owner owner) {
        Pattern pattern = NAMES.get(owner);
        Seen library = pattern == null ? null : library(owner);
        if (pattern == null || library == null || !library.loaded()) return null;
        try {
            Set<String> names = FilePatternScan.find(Path.of(library.where()), pattern);
            return names.isEmpty() ? null : names;
        } catch (IOException e) {
            return null;
        }
    }
}
