package org.tutti.train;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Mpi;
import org.tutti.train.model.TensorLibrary;

/// Selects the transport of a group.
///
///     tutti run, mpirun, srun ─▶ Mpi: shm or mpi
///     torchrun's variables ────▶ a Backend of that name: gloo
///     neither ─────────────────▶ one rank
///     nccl, rccl ──────────────▶ an AcceleratorBackend on top of one of these
final class Backends {
    private static final String GLOO = "gloo";

    /// PyTorch's names for transports between devices.
    private static final List<String> ACCELERATED = List.of("nccl", "rccl");

    private Backends() {}

    /// Forms the group of this process's job.
    ///
    /// @param asked the name of the backend; null for any
    static ProcessGroup form(@Nullable String asked, Duration timeout) {
        if (asked != null && ACCELERATED.contains(asked)) return accelerated(asked, timeout);
        boolean withoutMpi = asked != null && !isMpi(asked);
        Rendezvous rendezvous = withoutMpi ? Rendezvous.currentWithoutMpi(timeout) : Rendezvous.current(timeout);
        ProcessGroup group;
        if (rendezvous != null && (rendezvous.size() > 1 || withoutMpi)) {
            group = named(asked == null ? GLOO : asked, rendezvous).join(rendezvous);
        } else if (asked == null || isMpi(asked)) {
            Mpi mpi = Mpi.init();
            group = new MpiGroup(mpi, mpi.world(), true);
        } else {
            throw new TrainingException("backend " + asked
                    + " needs RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, as torchrun sets them, or tutti run, mpirun"
                    + " or srun");
        }
        return ready(group, asked);
    }

    private static ProcessGroup accelerated(String asked, Duration timeout) {
        AcceleratorBackend backend = null;
        for (AcceleratorBackend b : ServiceLoader.load(AcceleratorBackend.class)) {
            if (b.names().contains(asked)) backend = b;
        }
        if (backend == null) {
            throw new TrainingException(
                    "backend " + asked + " connects the memory of devices, but no such backend is on the class"
                            + " path; add org.tutti:tutti-train-device; gloo and mpi need no device");
        }
        Rendezvous rendezvous = Rendezvous.current(timeout);
        if (rendezvous != null && rendezvous.size() > 1) {
            throw new TrainingException("backend " + asked + " was requested, but this process was started as rank "
                    + rendezvous.rank() + " of " + rendezvous.size() + " only by torchrun's variables, which"
                    + " does not connect devices; start it with tutti run -n or -H, mpirun or srun; or use gloo, where"
                    + " gradients of devices are sent through the host");
        }
        ProcessGroup group = form(null, timeout);
        try {
            return backend.connect(group, asked);
        } catch (RuntimeException e) {
            closeAfter(e, group);
            throw e;
        }
    }

    private static void closeAfter(RuntimeException failure, ProcessGroup group) {
        try {
            group.close();
        } catch (RuntimeException others) { // the other ranks continue without this rank and are notified
            failure.addSuppressed(others);
        }
    }

    private static boolean isMpi(String name) {
        return name.equals("shm") || name.equals("mpi");
    }

    private static Backend named(String name, Rendezvous rendezvous) {
        if (isMpi(name)) {
            throw new TrainingException("backend " + name + " was requested, but this process was started as rank "
                    + rendezvous.rank() + " of " + rendezvous.size()
                    + " only by torchrun's variables; start it with tutti run,"
                    + " mpirun or srun");
        }
        List<String> there = new ArrayList<>();
        for (Backend b : ServiceLoader.load(Backend.class)) {
            if (b.name().equals(name)) return b;
            there.add(b.name());
        }
        throw new TrainingException("RANK=" + rendezvous.rank() + " and WORLD_SIZE=" + rendezvous.size()
                + " request a group over " + name + ", but no such backend is on the class path ("
                + (there.isEmpty() ? "no backend is present" : "there are " + there)
                + "); add org.tutti:tutti-train-torch for gloo (tutti run --with torch); with tutti run, mpirun or"
                + " srun none is needed");
    }

    /// Checks that the group has the requested backend, and limits the threads of each available tensor library
    /// to this rank's share of the cores. Closes the group on failure.
    static ProcessGroup ready(ProcessGroup group, @Nullable String asked) {
        try {
            if (asked != null && !asked.equals(group.backend())) {
                throw new TrainingException(
                        "backend " + asked + " was requested, but this job uses " + group.backend());
            }
            OptionalInt threads = CpuShare.threads(group.localSize());
            for (TensorLibrary library : ServiceLoader.load(TensorLibrary.class)) {
                Runnable load = () -> library.prepare(threads);
                if (group.rank() > 0) load.run();
                else LoadingNotice.during(load, library.name(), LoadingNotice.DELAY, System.err::println);
            }
            return group;
        } catch (RuntimeException e) {
            closeAfter(e, group);
            throw e;
        }
    }
}
