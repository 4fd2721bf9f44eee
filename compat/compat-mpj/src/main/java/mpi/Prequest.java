package mpi;

import java.util.function.Supplier;

/// A send or receive, started repeatedly with the same arguments. Each start of a send sends the current contents
/// of the array.
public class Prequest extends Request {
    private final String operation;
    private final Supplier<Request> starter;

    Prequest(String operation, Supplier<Request> starter) {
        this.operation = operation;
        this.starter = starter;
    }

    /// Starts the message.
    public void Start() throws MPIException {
        checkStart();
        take(starter.get());
    }

    private void checkStart() {
        if (isActive()) throw new MPIException("Start: the request of " + operation + " is active; wait for it before");
    }

    /// Starts all messages.
    public static void Startall(Prequest[] requests) throws MPIException {
        for (Prequest r : requests) r.checkStart();
        for (Prequest r : requests) r.Start();
    }
}
