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

/// Functions that clients may call by HTTP, as jobs that the ranks of a pool run.
///
///     void main() throws Exception {
///         RankPool.run(pool ->
///                 Service.of(pool).addFunction("pi", n -> Pi.estimate(n), Integer.class, Double.class).serve());
///     }
///
/// To be started by `tutti serve App.java`, whose options say where it listens and where its files are.
/// Clients bring an argument as JSON and get the result as JSON: numbers, texts, arrays, collections,
/// records, enums and what is made of them, as types that are known before.
public final class Service {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,63}");

    private final RankPool pool;
    private final Map<String, ServedFunction> functions = new LinkedHashMap<>();
    private final JsonTypes types = new JsonTypes();
    private ServiceSettings settings = ServiceSettings.usual();
    private ServiceLimits limits = ServiceLimits.DEFAULTS;

    private Service(RankPool pool) {
        this.pool = pool;
    }

    /// Returns a service without functions. Local.
    ///
    /// @throws IllegalArgumentException when what `tutti serve` was told makes no sense
    public static Service of(RankPool pool) {
        Service service = new Service(pool);
        service.settings = ServiceSettings.ofEnvironment();
        return service;
    }

    /// Adds a function. Local.
    ///
    /// @param name in addresses: small letters, digits, `-` and `_`
    /// @param function runs on a worker; a lambda, a method reference or a record, see [RankFunction]
    /// @throws IllegalArgumentException when the name is not such or was given before, or a type is none that
    ///     JSON has
    /// @throws org.tutti.futures.TaskRefusedException when a worker could not find the function
    public <T, R extends @Nullable Object> Service addFunction(
            String name, RankFunction<T, R> function, Class<T> argument, Class<R> result) {
        return addFunction(name, "", function, argument, result);
    }

    /// As [#addFunction(String, RankFunction, Class, Class)], with a text that says what it does.
    public <T, R extends @Nullable Object> Service addFunction(
            String name, String text, RankFunction<T, R> function, Class<T> argument, Class<R> result) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("addFunction: name=" + name
                    + " is not a small letter and then small letters, digits, - and _, at most 64");
        }
        RankFunction<@Nullable Object, byte[]> call = ServedCall.of(function, limits.resultBytes());
        pool.map(call, List.of()).toList(); // refuses at once what cannot be a task
        ServedFunction made =
                new ServedFunction(name, text, call, type(name, "argument", argument), type(name, "result", result));
        if (functions.putIfAbsent(name, made) != null) {
            throw new IllegalArgumentException("addFunction: there is a function " + name + " already");
        }
        return this;
    }

    private JsonType type(String name, String what, Class<?> type) {
        try {
            return types.of(type);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("addFunction: the " + what + " of " + name + ": " + e.getMessage(), e);
        }
    }

    /// Sets how long a job may run; then it is interrupted and has failed. An hour if it is not set. Local.
    ///
    /// @throws IllegalArgumentException when `limit` is not positive
    public Service withTimeLimit(Duration limit) {
        if (!limit.isPositive()) {
            throw new IllegalArgumentException("withTimeLimit: limit=" + limit + " is no time that a job could take");
        }
        limits = limits.jobTime(limit);
        return this;
    }

    /// Sets where it listens, on this machine alone: for tests, and for programs that `tutti serve` does not
    /// start. Local.
    ///
    /// @param port 0 for one that is free
    /// @param stateDirectory the directory of its files, which one service has at a time
    public Service listenOn(int port, Path stateDirectory) {
        settings = new ServiceSettings(stateDirectory, port, null, List.of(), null, null, false, settings.allowRoot());
        return this;
    }

    /// For tests.
    Service settings(ServiceSettings others) {
        settings = others;
        return this;
    }

    Service limits(ServiceLimits others) {
        limits = others;
        return this;
    }

    /// Begins to serve, and returns. Jobs that an earlier service has left queued are run.
    ///
    /// @throws IOException when the files or the port cannot be had; the text says which and why
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
            System.err.println(running.greeting());
            running.awaitEnd();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
