package org.tutti.mpi.file;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Lets a file's ranks agree on two things: whether an operation has succeeded on all ranks, and whether all
/// ranks have passed equal arguments. If one rank has failed, all ranks throw the same exception. Every method
/// is collective, and returns when all ranks have called it.
record FileAgreement(FileRanks ranks, CommPort port, String path) {
    private static final int MOST_TEXT = 1024;

    /// Returns the smallest `mine` of all ranks, or throws the failure of a rank on all ranks.
    long agree(String operation, @Nullable StorageException failure, long mine) {
        long[] all = ranks.exchange(operation, port, failure == null ? 0 : 1, mine);
        long least = Long.MAX_VALUE;
        for (int r = 0; r < port.size(); r++) {
            least = Math.min(least, all[2 * r + 1]);
            if (all[2 * r] != 0) throw failureOf(r, operation, failure);
        }
        return least;
    }

    void agree(String operation, @Nullable StorageException failure) {
        agree(operation, failure, 0);
    }

    /// Returns the failure of `rank`, which all ranks throw.
    private Fault failureOf(int rank, String operation, @Nullable StorageException failure) {
        byte[] encoded = new byte[MOST_TEXT];
        if (port.rank() == rank && failure != null) {
            String text = path + " of rank " + rank + " on " + Host.name() + ": " + failure.text();
            // the encoded text ends at a zero byte
            byte[] bytes =
                    (failure.errorClass().ordinal() + " " + text.replace("\0", "\\0")).getBytes(StandardCharsets.UTF_8);
            System.arraycopy(bytes, 0, encoded, 0, Math.min(bytes.length, MOST_TEXT));
        }
        ranks.broadcast(operation, port, encoded, rank);
        String[] parts = new String(encoded, StandardCharsets.UTF_8).split("\0", 2)[0].split(" ", 2);
        PredefinedErrorClass errorClass = PredefinedErrorClass.values()[Integer.parseInt(parts[0])];
        return Fault.file(errorClass, operation, parts[1], port, failure);
    }

    /// Checks that all ranks pass the same number.
    ///
    /// @param what the name of the argument
    void checkSame(String operation, long mine, String what) {
        long[] all = ranks.exchange(operation, port, mine);
        for (int r = 0; r < all.length; r++) {
            if (all[r] == all[0]) continue;
            String values = what + " is " + all[0] + " on rank 0 and " + all[r] + " on rank " + r;
            throw notSame(operation, values);
        }
    }

    /// Checks that all ranks pass the same modes.
    void checkModes(long mine, String shown) {
        long[] all = ranks.exchange("open", port, mine);
        for (int r = 0; r < all.length; r++) {
            if (all[r] != all[0])
                throw notSame("open", "ranks 0 and " + r + " passed different modes, this rank " + shown);
        }
    }

    private Fault notSame(String operation, String what) {
        String text = path + ": " + what + "; pass the same value on all ranks";
        return Fault.argument(PredefinedErrorClass.ERR_NOT_SAME, operation, text, port);
    }
}
