package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.PointToPointFunctions.MPI_Iprobe;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.MessageAudit;
import org.tutti.spi.Transfer;

/// Unreceived messages of a leaving rank. The library provides only the first unreceived message of each
/// communicator.
final class UnreceivedMessages implements MessageAudit {
    /// Number of probes. A single probe is not sufficient: a message that was sent before a barrier may still
    /// be in transit in the library after the barrier.
    private static final int PROBES = 3;

    private final List<NativeComm> open;

    UnreceivedMessages(NativeComm world, NativeComm self) {
        open = new CopyOnWriteArrayList<>(List.of(world, self));
    }

    /// Adds a communicator to be checked, and returns it; null is ignored.
    <C extends @Nullable NativeComm> C known(C made) {
        if (made != null) open.add(made);
        return made;
    }

    void freed(NativeComm comm) {
        open.remove(comm);
    }

    @Override
    public boolean outlives(Transfer send) {
        return send.isDone();
    }

    @Override
    public @Nullable String unreceived() {
        NativeScratch s = NativeScratch.take();
        try {
            return find(s);
        } finally {
            s.give();
        }
    }

    /// Returns a message such as `a message was never received: 4 bytes from rank 0, tag 5, WORLD`, or null.
    /// Communicators with programs of other languages are excluded, because these programs may be about to
    /// receive.
    private @Nullable String find(NativeScratch s) {
        for (int probe = 0; probe < PROBES; probe++) {
            for (NativeComm comm : open) {
                if (comm.isMixed()) continue;
                int rc = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm.handle, s.flag, s.status);
                if (rc != 0 || !s.flag()) continue;
                int source = s.status.get(JAVA_INT, STATUS_SOURCE), tag = s.status.get(JAVA_INT, STATUS_TAG);
                return "a message was never received: " + TypedTransfers.bytes(s) + " bytes from "
                        + comm.describeRank(source) + ", tag " + tag + ", " + comm.name();
            }
        }
        return null;
    }
}
