package org.tutti.conformance.trial;

import java.util.function.Supplier;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;

/// The three ways to make a collective call.
public enum Form {
    BLOCKING,
    NONBLOCKING,
    PERSISTENT;

    /// Executes the call in this form and waits until it is complete.
    public void call(Runnable blocking, Supplier<Request> nonblocking, Supplier<PersistentRequest> persistent) {
        switch (this) {
            case BLOCKING -> blocking.run();
            case NONBLOCKING -> nonblocking.get().await();
            case PERSISTENT -> {
                try (PersistentRequest r = persistent.get()) {
                    r.start();
                    r.await();
                }
            }
        }
    }
}
