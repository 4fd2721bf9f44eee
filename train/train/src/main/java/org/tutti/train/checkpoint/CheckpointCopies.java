package org.tutti.train.checkpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.tutti.job.environment.Host;
import org.tutti.train.ProcessGroup;

/// Determines which ranks have rank 0's checkpoint, unchanged, in their directory.
///
/// A directory on another host may be the same directory on a shared file system, or contain copies, which may
/// be damaged. Therefore the first rank of each host and directory reads the files and compares the checksums;
/// for rank 0's directory on its host, rank 0 has done this. The files are then mapped without a second check.
///
/// The cost is that each host reads the whole checkpoint once, even from a shared file system; replicas then
/// read the same bytes from the page cache. A marker file could detect a shared directory, but requires write
/// access, and would not detect damage between the file system and this host.
final class CheckpointCopies {
    private final ProcessGroup group;
    private final Store store;

    CheckpointCopies(ProcessGroup group, Store store) {
        this.group = group;
        this.store = store;
    }

    /// Returns whether this rank has the checkpoint. All ranks call it.
    boolean has(Manifest manifest) {
        int me = group.rank();
        List<String> places = group.allgather(place());
        int first = places.indexOf(places.get(me));
        String found = "";
        if (me == 0 || first == me && isIntact(manifest)) found = "1";
        return group.allgather(found).get(first).equals("1");
    }

    private String place() {
        try {
            return Host.name() + ":" + store.directory().toRealPath();
        } catch (IOException e) {
            return group.rank() + ": " + e; // concerns only this rank
        }
    }

    private boolean isIntact(Manifest manifest) {
        try {
            return store.has(manifest) && store.damage(manifest) == null;
        } catch (IOException | UncheckedIOException e) {
            return false; // rank 0 sends it
        }
    }
}
