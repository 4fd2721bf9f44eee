package mpi;

import java.util.function.Supplier;

/// A message that is begun again and again, with the same arguments: what lies in the array at each
/// start is sent.
public class Prequest extends Request {
    private final String operation;
    private final Supplier<Request> starter;

    Prequest(String operation, Supplier<Request> starter) {
        this.operation = operation;
        this.starter = starter;
    }

    /// Begins the message.
    public void Start() throws MPIException {
        checkStart();
        take(starter.get());
    }

    private void checkStart() {
        if (isActive()) throw new MPIException("Start: the request of " + operation + " is active; wait for it before");
    }

    /// Begins the messages of all.
    public static void Startall(Prequest[] requests) throws MPIException {
        for (Prequest r : requests) r.checkStart();
        for (Prequest r : requests) r.Start();
    }
}
