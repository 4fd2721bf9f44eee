package org.tutti.mpi.file;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// How the ranks of a file find that all of them are well, and pass the same; else all throw the same. Every
/// method is collective, and returns when all ranks have called it.
record FileAgreement(FileRanks ranks, CommPort port, String path) {
    private static final int MOST_TEXT = 1024;

    /// Of all ranks the smallest `mine`, unless one has failed: then all throw what it says.
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

    /// What rank `who` says, which all throw.
    private Fault failureOf(int who, String operation, @Nullable StorageException failure) {
        byte[] told = new byte[MOST_TEXT];
        if (port.rank() == who && failure != null) {
            String text = path + " of rank " + who + " on " + Host.name() + ": " + failure.text();
            // a zero is the end of it
            byte[] bytes =
                    (failure.errorClass().ordinal() + " " + text.replace("\0", "\\0")).getBytes(StandardCharsets.UTF_8);
            System.arraycopy(bytes, 0, told, 0, Math.min(bytes.length, MOST_TEXT));
        }
        ranks.broadcast(operation, port, told, who);
        String[] parts = new String(told, StandardCharsets.UTF_8).split("\0", 2)[0].split(" ", 2);
        PredefinedErrorClass errorClass = PredefinedErrorClass.values()[Integer.parseInt(parts[0])];
        return Fault.file(errorClass, operation, parts[1], port, failure);
    }

    /// The same number on all ranks.
    ///
    /// @param what it is, in words
    void checkSame(String operation, long mine, String what) {
        long[] all = ranks.exchange(operation, port, mine);
        for (int r = 0; r < all.length; r++) {
            if (all[r] == all[0]) continue;
            String values = what + " is " + all[0] + " on rank 0 and " + all[r] + " on rank " + r;
            throw notSame(operation, values);
        }
    }

    /// The same modes.
    void checkModes(long mine, String shown) {
        long[] all = ranks.exchange("open", port, mine);
        for (int r = 0; r < all.length; r++) {
            if (all[r] != all[0])
                throw notSame("open", "ranks 0 and " + r + " pass different modes, this one " + shown);
        }
    }

    private Fault notSame(String operation, String what) {
        String text = path + ": " + what + "; all ranks pass the same";
        return Fault.argument(PredefinedErrorClass.ERR_NOT_SAME, operation, text, port);
    }
}
