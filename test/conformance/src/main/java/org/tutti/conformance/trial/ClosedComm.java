package org.tutti.conformance.trial;

import org.tutti.mpi.OwnedComm;

/// A communicator of all ranks that was closed, twice as once.
///
/// @param rejection what a call on it says behind its own name
public record ClosedComm(OwnedComm comm, String rejection) {
    public static ClosedComm of(Trial t) {
        OwnedComm dup = t.world().dup();
        dup.barrier();
        String next = Check.nextLine();
        dup.close();
        dup.close(); // twice is once
        String name = dup.name();
        String where = " (rank " + t.rank() + " of " + t.size() + ", " + name + ")";
        return new ClosedComm(dup, ": the communicator " + name + " was closed at " + next + where);
    }
}
