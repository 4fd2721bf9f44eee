package mpi;

import org.tutti.mpi.MpiException;
import org.tutti.mpi.PersistentRequest;

/// An operation, described once and started repeatedly.
public final class Prequest extends Request {
    Prequest(PersistentRequest request, Errhandler errhandler) {
        super(request, errhandler);
    }

    @Override
    boolean isPersistent() {
        return true;
    }

    public void start() throws MPIException {
        PersistentRequest r = (PersistentRequest) there();
        try {
            r.start();
        } catch (MpiException e) {
            throw failed(e);
        }
    }

    public static void startAll(Prequest[] requests) throws MPIException {
        for (Prequest r : requests) r.start();
    }
}
