package org.tutti.serve;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.futures.RankFunction;
import org.tutti.futures.RankPool;
import org.tutti.job.environment.ServiceSettings;
import org.tutti.job.process.RankProcess;
import org.tutti.serve.job.ServedFunction;
import org.tutti.serve.job.ServiceLimits;
import org.tutti.serve.json.JsonType;
import org.tutti.serve.json.JsonTypes;

/// Functions that clients call over HTTP, as jobs that run on the ranks of a pool.
///
///     void main() throws Exception {
///         RankPool.run(pool ->
///                 Service.of(pool).addFunction("pi", n -> Pi.estimate(n), Integer.class, Double.class).serve());
///     }
///
/// Start the program with `tutti serve App.java`; options set the address and the directory of the service.
/// Clients send an argument as JSON and receive the result as JSON: numbers, strings, arrays, collections,
/// records, enums and combinations of these, with types that are known in advance.
public final class Service {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,63}");

    private final RankPool pool;
    private final Map<String, ServedFunction> functions = new LinkedHashMap<>();
    private final JsonTypes types = new JsonTypes();
    private ServiceSettings settings = ServiceSettings.defaults();
    private ServiceLimits limits = ServiceLimits.DEFAULTS;

    private Service(RankPool pool) {
        this.pool = pool;
    }

    /// Returns a service without functions. Local.
    ///
    /// @throws IllegalArgumentException if the options of `tutti serve` are invalid
    public static Service of(RankPool pool) {
        Service service = new Service(pool);
        service.settings = ServiceSettings.ofEnvironment();
        return service;
    }

    /// Adds a function. Local.
    ///
    /// @param name the name in addresses: 1 to 64 characters from `a-z`, `0-9`, `-` and `_`, the first from
    ///     `a-z`
    /// @param function runs on a worker; a lambda, a method reference or a record, see [RankFunction]
    /// @throws IllegalArgumentException if the name is invalid or already used, or a type has no representation
    ///     in JSON
    /// @throws org.tutti.futures.TaskRefusedException if a worker could not resolve the function
    public <T, R extends @Nullable Object> Service addFunction(
            String name, RankFunction<T, R> function, Class<T> argument, Class<R> result) {
        return addFunction(name, "", function, argument, result);
    }

    /// As [#addFunction(String, RankFunction, Class, Class)], with a description.
    public <T, R extends @Nullable Object> Service addFunction(
            String name, String text, RankFunction<T, R> function, Class<T> argument, Class<R> result) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("addFunction: name=" + name
                    + " is not a lower-case letter followed by at most 63 lower-case letters, digits, - and _");
        }
        RankFunction<@Nullable Object, byte[]> call = ServedCall.of(function, limits.resultBytes());
        pool.map(call, List.of()).toList(); // throws immediately if the function cannot be a task
        ServedFunction made =
                new ServedFunction(name, text, call, type(name, "argument", argument), type(name, "result", result));
        if (functions.putIfAbsent(name, made) != null) {
            throw new IllegalArgumentException("addFunction: name=" + name + " is already the name of a function");
        }
        return this;
    }

    private JsonType type(String name, String role, Class<?> type) {
        try {
            return types.of(type);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("addFunction: the " + role + " of " + name + ": " + e.getMessage(), e);
        }
    }

    /// Sets the time limit of a job. At the limit the job is interrupted and fails. The default is one hour.
    /// Local.
    ///
    /// @throws IllegalArgumentException if `limit` is not positive
    public Service withTimeLimit(Duration limit) {
        if (!limit.isPositive()) {
            throw new IllegalArgumentException("withTimeLimit: limit=" + limit + " is not a valid time for a job");
        }
        limits = limits.jobTime(limit);
        return this;
    }

    /// Sets the port and the directory of a service that only this machine can reach: for tests, and for
    /// programs that are not started by `tutti serve`. Local.
    ///
    /// @param port 0 for a free port
    /// @param stateDirectory the directory of the service's files; only one service at a time can use it
    public Service listenOn(int port, Path stateDirectory) {
        settings = new ServiceSettings(stateDirectory, port, null, List.of(), null, null, false, settings.allowRoot());
        return this;
    }

    /// For tests.
    Service settings(ServiceSettings replacement) {
        settings = replacement;
        return this;
    }

    Service limits(ServiceLimits replacement) {
        limits = replacement;
        return this;
    }

    /// Starts the service and returns. Jobs that were queued by a previous service are run.
    ///
    /// @throws IOException if the files or the port cannot be used; the message states which and why
    public RunningService start() throws IOException {
        if (functions.isEmpty()) throw new IllegalStateException("start: the service has no function");
        RunningService running = RunningService.start(pool, new LinkedHashMap<>(functions), settings, limits);
        try {
            RankProcess process = RankProcess.current();
            if (process != null) process.serves();
            return running;
        } catch (RuntimeException | Error e) {
            running.close();
            throw e;
        }
    }

    /// Serves until the thread is interrupted or the pool ends.
    ///
    /// @throws IOException as [#start]
    /// @throws IllegalStateException when the pool has ended
    public void serve() throws IOException {
        try (RunningService running = start()) {
            RankProcess process = RankProcess.current();
            System.err.println(running.greeting(process != null && process.isOnTerminal()));
            running.awaitEnd();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
