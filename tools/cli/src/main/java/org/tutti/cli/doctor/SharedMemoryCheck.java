package org.tutti.cli.doctor;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/// Checks the space for shared memory files, which MPI libraries need and Tutti's shm engine does not.
final class SharedMemoryCheck implements DoctorCheck {
    private static final long MIB = 1 << 20;
    private static final String DIRECTORY = "/dev/shm";

    /// The size that MPICH 4.0 over UCX writes for each rank (measured: 8.8 MiB for 2 ranks, 17 MiB for 4);
    /// Open MPI may need as much.
    private static final double MIB_PER_RANK = 4.4;

    @Override
    public String title() {
        return "shared memory";
    }

    @Override
    public void run(ExaminedMachine examined, CheckResults notes) {
        Path directory = examined.file(DIRECTORY);
        int ranks = examined.ranks();
        long needed = Math.round(Math.ceil(ranks * MIB_PER_RANK));
        if (!Files.isDirectory(directory)) {
            notes.warn(
                    DIRECTORY + " does not exist: MPI libraries store their shared memory there; the shm engine"
                            + " does not need it",
                    "run over shm (no --engine), or mount it: mount -t tmpfs tmpfs " + DIRECTORY);
            return;
        }
        try {
            FileStore store = Files.getFileStore(directory);
            long free = store.getUsableSpace() / MIB;
            String words = DIRECTORY + " has " + store.getTotalSpace() / MIB + " MiB, " + free + " MiB of it free; "
                    + ranks + (ranks == 1 ? " rank" : " ranks") + " of an MPI library need about " + needed + " MiB";
            if (!Files.isWritable(directory)) {
                notes.fails(words + ", and you have no write permission", "chmod 1777 " + DIRECTORY + ", as root");
            } else if (free < needed) {
                notes.fails(
                        words
                                + ": MPICH fails in MPI_Init, Open MPI falls back to slower transports or is killed; the shm"
                                + " engine does not need it",
                        "run over shm (no --engine); or give it more: docker run --shm-size 1g, an emptyDir of medium"
                                + " Memory in Kubernetes, mount -o remount,size=1g " + DIRECTORY
                                + "; or delete files of dead jobs");
            } else {
                notes.ok(words);
            }
        } catch (IOException e) {
            notes.warn(DIRECTORY + " cannot be queried: " + e.getMessage(), "check it with df " + DIRECTORY);
        }
    }
}
