package org.tutti.serve;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.tutti.futures.RankPool;
import org.tutti.job.environment.ServiceSettings;
import org.tutti.serve.job.JobQueue;
import org.tutti.serve.job.JobRunner;
import org.tutti.serve.job.ServedFunction;
import org.tutti.serve.job.ServiceLimits;
import org.tutti.serve.web.StateDirectory;
import org.tutti.serve.web.WebServer;

/// A service that accepts calls.
public final class RunningService implements AutoCloseable {
    private final StateDirectory state;
    private final JobRunner runner;
    private final WebServer server;

    private RunningService(StateDirectory state, JobRunner runner, WebServer server) {
        this.state = state;
        this.runner = runner;
        this.server = server;
    }

    static RunningService start(
            RankPool pool, Map<String, ServedFunction> functions, ServiceSettings settings, ServiceLimits limits)
            throws IOException {
        StateDirectory state = StateDirectory.open(settings);
        WebServer server = null;
        JobRunner runner = null;
        boolean isStarted = false;
        try {
            int slots = pool.workerCount();
            JobQueue queue = JobQueue.open(state.path(), limits, functions, slots);
            runner = new JobRunner(pool, queue, functions, limits);
            server = WebServer.bind(settings, state, functions, queue, slots, limits);
            state.address(server.address());
            runner.start();
            server.start(); // last, so that no client connects to a service that fails to start
            RunningService running = new RunningService(state, runner, server);
            isStarted = true;
            return running;
        } finally {
            if (!isStarted) {
                if (server != null) server.close();
                if (runner != null) runner.close();
                state.close();
            }
        }
    }

    /// Returns the address: `http://127.0.0.1:8080`. Local.
    public URI address() {
        return server.address();
    }

    /// Returns the directory of the service's files, including `run-token`, `read-token` and `address`. Local.
    public Path stateDirectory() {
        return state.path();
    }

    /// @param isOnTerminal whether the text is printed on a terminal, where only the user reads it; the text
    ///     then contains a link with the token
    String greeting(boolean isOnTerminal) {
        return "tutti: serving " + server.functions() + " at " + address() + "\n"
                + "tutti: the tokens are in " + state.path() + ": run-token, and read-token for read-only access\n"
                + "tutti: the page is " + address() + "/#" + (isOnTerminal ? state.runToken() : "TOKEN");
    }

    /// Waits until the pool has ended, which ends the service.
    ///
    /// @throws IllegalStateException always, after the end
    public void awaitEnd() throws InterruptedException {
        try {
            runner.broken().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("serve: the pool has ended, and the service with it", e.getCause());
        }
    }

    /// Closes the service: requests are no longer answered, running jobs are interrupted and lost. Queued jobs
    /// are run by the next service with the same directory.
    @Override
    public void close() {
        server.close();
        runner.close();
        state.close();
    }
}
