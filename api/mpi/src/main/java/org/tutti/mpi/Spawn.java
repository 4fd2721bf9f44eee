package org.tutti.mpi;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.LibrarySpawning;
import org.tutti.spi.LocalWait;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Spawner;
import org.tutti.spi.Spawning;

/// One call of [Tutti#spawn] or [Comm#spawn].
final class Spawn {
    private Spawn() {}

    static void run(int size, Spawner.Entry entry, List<String> arguments) {
        if (size < 1) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG, "spawn", "size=" + size + " is not a valid number of ranks", null);
        }
        try {
            launcher("spawn").spawn(size, entry, arguments);
        } catch (Fault fault) {
            throw MpiException.of(fault);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw MpiException.job(ErrorClass.ERR_PROC_FAILED, "spawn", "interrupted; the ranks were stopped", null, e);
        }
    }

    /// See [Comm#spawnMultiple].
    static Intercomm children(Comm comm, int root, Launch[] programs) {
        EngineCalls engine = comm.begin("spawn");
        if (comm.mpi.realm != Group.JOB) {
            throw MpiException.argument(
                    ErrorClass.ERR_COMM,
                    "spawn",
                    comm.name() + " connects this job with a different job; spawn on a communicator of this job",
                    comm.port);
        }
        int by = new CollectiveChecks(comm.port).root("spawn", root);
        String name = comm.childName("spawn");
        LibrarySpawning library = engine.power(LibrarySpawning.class);
        if (library != null) return Intercomm.met(comm.mpi, byLibrary(comm, by, library, programs), name);
        Spawning spawning = engine.power(Spawning.class);
        if (spawning == null) throw new IllegalStateException(engine.info().name() + " starts no processes");
        CompletableFuture<Intercomm> made = new CompletableFuture<>();
        try {
            RootResult result =
                    RootResult.share(comm, "spawn", by, () -> RootResult.of(start(comm, spawning, programs, made)));
            made.complete(Intercomm.met(comm.mpi, engine.meet(spawning, result.text()), name));
            return made.join();
        } finally {
            made.cancel(false); // no effect if the future is complete
        }
    }

    /// Starts the processes through the engine's library.
    private static CommPort byLibrary(Comm comm, int root, LibrarySpawning library, Launch[] programs) {
        EngineCalls engine = comm.mpi.engine("spawn");
        RootResult result = RootResult.share(comm, "spawn", root, () -> {
            Spawner launcher = launcher("spawn");
            List<Spawner.Part> parts = parts(programs, Math.min(library.room(), launcher.mostRanks()));
            String[] invitation = {""};
            List<LibrarySpawning.Command> commands = launcher.commands(parts, () -> {
                Map<String, String> environment = library.invite(comm.port);
                invitation[0] = Objects.requireNonNull(environment.get(RankEnvironment.PARENT));
                return environment;
            });
            engine.start(library, comm.port, invitation[0], commands);
            return RootResult.of(invitation[0]);
        });
        return engine.meet(library, comm.port, root, result.text());
    }

    /// See [Mpi#parent].
    static @Nullable Intercomm parent(Mpi mpi, EngineCalls engine) {
        LibrarySpawning library = engine.power(LibrarySpawning.class);
        CommPort between = library == null ? null : library.parent();
        if (between != null) return Intercomm.met(mpi, engine.known(between), "PARENT");
        Spawning spawning = engine.power(Spawning.class);
        String invitation = spawning == null ? null : spawning.invitation();
        if (spawning == null || invitation == null) return null;
        return Intercomm.met(mpi, engine.meet(spawning, invitation), "PARENT");
    }

    /// The result of the part of a collective call that only the root executes. All ranks receive the result.
    ///
    /// @param failure the class of the failure; empty on success
    /// @param text the reason, or the result
    record RootResult(String failure, String text, int[] processes) {
        static RootResult of(String text, int... processes) {
            return new RootResult("", text, processes);
        }

        /// Executes `part` at the root. Returns the result on all ranks, or throws the failure on all ranks.
        static RootResult share(Comm comm, String operation, int root, Supplier<RootResult> part) {
            RootResult own = comm.rank() == root ? ofRoot(operation, part) : null;
            Object result =
                    comm.bcastObject(own == null ? null : new Object[] {own.failure, own.text, own.processes}, root);
            if (!(result instanceof Object[] o
                    && o[0] instanceof String failure
                    && o[1] instanceof String text
                    && o[2] instanceof int[] processes)) {
                throw new IllegalStateException(operation + ": unexpected result from the root: " + result);
            }
            if (failure.isEmpty()) return of(text, processes);
            throw MpiException.of(Fault.argument(PredefinedErrorClass.valueOf(failure), operation, text, comm.port));
        }

        private static RootResult ofRoot(String operation, Supplier<RootResult> part) {
            try {
                return part.get();
            } catch (RuntimeException e) {
                String kind = switch (e) {
                    case Fault fault -> fault.errorClass().name();
                    case MpiException result -> result.errorClass().name();
                    default -> PredefinedErrorClass.ERR_OTHER.name();
                };
                String text = String.valueOf(e instanceof Fault || e instanceof MpiException ? e.getMessage() : e);
                String before = operation + ": ";
                return new RootResult(
                        kind, text.startsWith(before) ? text.substring(before.length()) : text, new int[0]);
            }
        }
    }

    /// Called by the root: starts the processes, and waits until all processes have joined. Returns the
    /// invitation.
    private static String start(Comm comm, Spawning spawning, Launch[] programs, CompletableFuture<Intercomm> made) {
        Spawner launcher = launcher("spawn");
        List<Spawner.Part> parts = parts(programs, launcher.mostRanks());
        int all = parts.stream().mapToInt(Spawner.Part::size).sum();
        String[] invitation = {""};
        CompletionStage<?> joined = launcher.start(
                parts,
                () -> {
                    invitation[0] = spawning.invite(comm.group().processes(), all);
                    return Map.of(RankEnvironment.PARENT, invitation[0]);
                },
                (why, code) -> {
                    if (failed(comm.mpi, made, why, code)) spawning.haveDied(invitation[0]);
                });
        Joining joining = new Joining(joined.toCompletableFuture(), all);
        comm.mpi.engine("spawn").await(joining);
        try {
            joining.result();
        } catch (Fault f) {
            // some processes may have joined, and may have sent messages
            if (!invitation[0].isEmpty()) spawning.haveDied(invitation[0]);
            throw f;
        }
        return invitation[0];
    }

    /// Checks and returns the programs; the search for classes follows later. Programs with several permitted
    /// numbers of ranks get, in order, the largest number for which the smallest numbers of the remaining
    /// programs still fit.
    private static List<Spawner.Part> parts(Launch[] programs, int room) {
        if (programs == null || programs.length == 0) throw wrong("no program was given");
        long left = room;
        for (Launch program : programs) {
            if (program == null) throw wrong("a program is null");
            if (program.part().size() < 1) {
                throw wrong("size=" + program.part().size() + " is not a valid number of ranks");
            }
            left -= program.smallest();
        }
        List<Spawner.Part> parts = new ArrayList<>();
        for (Launch program : programs) {
            int smallest = program.smallest();
            int size = left <= 0 ? smallest : program.largest(smallest + left);
            left -= size - smallest;
            parts.add(program.part().ofSize(size));
        }
        return parts;
    }

    private static Fault wrong(String text) {
        return Fault.argument(PredefinedErrorClass.ERR_ARG, "spawn", text, null);
    }

    /// Called when ranks that this rank has spawned have terminated. Connected ranks terminate together, so
    /// this rank fails if it is still connected with the spawned ranks. Returns whether this rank continues.
    private static boolean failed(Mpi mpi, CompletableFuture<Intercomm> made, String why, int code) {
        Intercomm children;
        try {
            children = made.join();
        } catch (CancellationException e) {
            children = null;
        }
        return mpi.spawnedHaveFailed(children, why, code);
    }

    /// The wait for the new processes.
    private record Joining(CompletableFuture<?> joined, int size) implements LocalWait {
        @Override
        public String operation() {
            return "spawn";
        }

        @Override
        public String what() {
            return "spawn of " + size + (size == 1 ? " rank" : " ranks") + ", until all have called Mpi.init";
        }

        @Override
        public boolean isOver() {
            return joined.isDone();
        }

        @Override
        public boolean completesByMessages() {
            return false;
        }

        @Override
        public boolean isCompletedExternally() {
            return true;
        }

        void result() {
            try {
                joined.join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof Fault fault ? fault : e;
            }
        }
    }

    static Spawner launcher(String operation) {
        for (Spawner spawner : ServiceLoader.load(Spawner.class, Spawn.class.getClassLoader())) return spawner;
        throw MpiException.job(
                ErrorClass.ERR_OTHER,
                operation,
                "no launcher of processes was found; put tutti-launch.jar on the class path or the module path",
                null);
    }

    /// Returns the method to which a method reference or a lambda refers, so that a separate process can call
    /// it.
    static Spawner.Entry entry(Tutti.Main main) {
        SerializedLambda lambda = lambda(main);
        String where = "; a separate process runs it, so pass a static method, such as Worker::main";
        if (lambda == null) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG,
                    "spawn",
                    "an object of " + main.getClass().getName() + " is not a method reference or lambda" + where,
                    null);
        }
        Class<?> type =
                named(lambda.getImplClass().replace('/', '.'), main.getClass().getClassLoader());
        int captured = lambda.getCapturedArgCount();
        if (captured > 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG,
                    "spawn",
                    "the lambda in " + type.getName() + " captures " + captured
                            + (captured == 1 ? " value" : " values")
                            + " of this process, possibly `this`; pass values as arguments" + where,
                    null);
        }
        if (lambda.getImplMethodKind() != MethodHandleInfo.REF_invokeStatic) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG,
                    "spawn",
                    type.getName() + "::" + lambda.getImplMethodName() + " is not static" + where,
                    null);
        }
        return new Spawner.Entry(type, lambda.getImplMethodName(), lambda.getImplMethodSignature());
    }

    private static Class<?> named(String name, @Nullable ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e); // the lambda was loaded by the same loader
        }
    }

    /// Returns the content of a serializable lambda; null for any other object. Uses serialization, which has
    /// access to any module.
    private static @Nullable SerializedLambda lambda(Tutti.Main main) {
        ObjectCheck check;
        try {
            check = new ObjectCheck();
            check.writeObject(main);
        } catch (IOException | SecurityException e) {
            return null;
        }
        return check.found;
    }

    /// Discards the serialized data, and stores only the [SerializedLambda] that replaces a serializable
    /// lambda.
    private static final class ObjectCheck extends ObjectOutputStream {
        private @Nullable SerializedLambda found;

        ObjectCheck() throws IOException {
            super(OutputStream.nullOutputStream());
            enableReplaceObject(true);
        }

        @Override
        protected @Nullable Object replaceObject(Object object) {
            if (object instanceof SerializedLambda lambda) found = lambda;
            return null;
        }
    }
}
