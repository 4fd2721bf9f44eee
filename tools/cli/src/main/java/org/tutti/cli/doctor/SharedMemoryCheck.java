package org.tutti.cli.doctor;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/// Room for shared memory files, which MPI libraries need and Tutti's own engine does not.
final class SharedMemoryCheck implements DoctorCheck {
    private static final long MIB = 1 << 20;
    private static final String DIRECTORY = "/dev/shm";

    /// What MPICH 4.0 over UCX writes for each rank (seen: 8.8 MiB for 2 ranks, 17 MiB for 4), and as
    /// much as Open MPI may.
    private static final double MIB_PER_RANK = 4.4;

    @Override
    public String title() {
        return "shared memory";
    }

    @Override
    public void look(ExaminedMachine patient, CheckResults notes) {
        Path directory = patient.file(DIRECTORY);
        int ranks = patient.ranks();
        long needed = Math.round(Math.ceil(ranks * MIB_PER_RANK));
        if (!Files.isDirectory(directory)) {
            notes.look(
                    DIRECTORY + " is not here: MPI libraries put their shared memory there; shm, Tutti's own engine,"
                            + " does without",
                    "run over shm (no --engine), or mount it: mount -t tmpfs tmpfs " + DIRECTORY);
            return;
        }
        try {
            FileStore store = Files.getFileStore(directory);
            long free = store.getUsableSpace() / MIB;
            String words = DIRECTORY + " has " + store.getTotalSpace() / MIB + " MiB, " + free + " MiB of it free; "
                    + ranks + (ranks == 1 ? " rank" : " ranks") + " of an MPI library want about " + needed + " MiB";
            if (!Files.isWritable(directory)) {
                notes.fails(words + ", and you may not write there", "chmod 1777 " + DIRECTORY + ", as root");
            } else if (free < needed) {
                notes.fails(
                        words
                                + ": MPICH ends in MPI_Init, Open MPI falls back to slower ways or is killed; shm, Tutti's"
                                + " own engine, does without",
                        "run over shm (no --engine); or give it more: docker run --shm-size 1g, an emptyDir of medium"
                                + " Memory in Kubernetes, mount -o remount,size=1g " + DIRECTORY
                                + "; or delete what dead jobs have left there");
            } else {
                notes.ok(words);
            }
        } catch (IOException e) {
            notes.look(DIRECTORY + " cannot be asked: " + e.getMessage(), "look at it with df " + DIRECTORY);
        }
    }
}
