package org.tutti.launch.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.os.SupportedSystem;
import org.tutti.launch.UsageException;
import org.tutti.launch.program.ClassPath;
import org.tutti.launch.program.CurrentJvm;
import org.tutti.launch.program.MainMethod;
import org.tutti.launch.program.Program;
import org.tutti.launch.program.ProgramClasses;
import org.tutti.launch.program.ProgramSpec;
import org.tutti.launch.program.Programs;
import org.tutti.launch.rank.JvmOptions;
import org.tutti.launch.rank.RankCommand;
import org.tutti.launch.run.Run;
import org.tutti.launch.run.RunBuilder;
import org.tutti.spi.Fault;
import org.tutti.spi.LibrarySpawning;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Spawner;

/// Starts ranks from a running program: the job of `Tutti.spawn`, the world of `comm.spawn`, and the workers of a
/// pool, all over shared memory. For `comm.spawn` over a library, returns the commands that the library starts.
@SuppressWarnings("exports") // created only by ServiceLoader, called only by org.tutti.mpi
public final class ProcessSpawner implements Spawner {
    private static final int MOST_RANKS = 1024;

    /// The program that runs a command after changing environment variables.
    private static final String ENV = "/usr/bin/env";

    /// Runs a command in a given directory; `env -C` is not available everywhere.
    private static final List<String> IN_DIRECTORY = List.of("/bin/sh", "-c", "cd \"$0\" && exec \"$@\"");

    /// Variables of this job that ranks of other worlds must not inherit.
    private static final List<String> OF_THIS_JOB = List.of(
            RankEnvironment.JOB,
            RankEnvironment.JOB_HOST,
            RankEnvironment.NODE_JOB,
            RankEnvironment.JAVA_RANKS,
            RankEnvironment.RANK,
            RankEnvironment.SIZE,
            RankEnvironment.LOCAL_RANK,
            RankEnvironment.LOCAL_SIZE,
            RankEnvironment.CALLS,
            RankEnvironment.CALLS_OF_JVM);

    /// For [java.util.ServiceLoader].
    public ProcessSpawner() {}

    @Override
    public void spawn(int size, Entry entry, List<String> arguments) throws InterruptedException {
        if (size > MOST_RANKS)
            throw wrong("size=" + size + ": a job on one machine has at most " + MOST_RANKS + " ranks");
        String name = MainMethod.name(entry.type(), entry.method(), entry.descriptor());
        String outer = RankEnvironment.spawned();
        if (List.of(outer.split(" ")).contains(name)) {
            throw wrong("this process is a rank that was spawned to run " + name
                    + ", so spawning would never end; give a class or a method that does not spawn itself");
        }
        Job.End end;
        try {
            List<String> flags = CurrentJvm.flags();
            ProgramSpec spec = new ProgramSpec(size, name, arguments, null, flags);
            Program program = new Program.Spawned(spec, name, CurrentJvm.classes(entry.type(), flags), Map.of(), null);
            if (entry.method() == null) MainMethod.of(entry.type());
            Run run = Run.of(name, arguments)
                    .size(size)
                    .hosts("localhost:" + size) // independent of the allocation of this process
                    .engine(RankEnvironment.SHM)
                    .env(Map.of(RankEnvironment.SPAWNED, outer.isEmpty() ? name : outer + " " + name))
                    .output(System.out)
                    .error(System.err)
                    .build();
            end = byItsOwnThread(run, program);
        } catch (UsageException e) {
            throw wrong(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw Fault.job(PredefinedErrorClass.ERR_OTHER, "spawn", "ranks could not be started: " + e, null, e);
        }
        if (end.code() != 0) throw Fault.job(PredefinedErrorClass.ERR_PROC_FAILED, "spawn", end.text(), null);
    }

    @Override
    public int mostRanks() {
        return MOST_RANKS;
    }

    @Override
    public CompletionStage<?> start(
            List<Part> parts, Supplier<Map<String, String>> environment, ObjIntConsumer<String> failed) {
        try {
            List<Program> programs = programs(parts);
            Run run = run(programs)
                    .env(environment.get())
                    .output(System.out)
                    .error(System.err)
                    .build();
            SpawnedWorld world = new SpawnedWorld(run, programs, failed);
            // ranks die with the starting thread
            Thread.ofPlatform().daemon(false).name("tutti-spawned").start(world);
            return world.joined();
        } catch (UsageException e) {
            throw cannot(e);
        }
    }

    @Override
    public Workers startWorkers(int count, Class<?> type, List<String> jvm) {
        if (count >= MOST_RANKS) {
            throw cannot(
                    "processes", "n=" + count + ": a pool on one machine has at most " + (MOST_RANKS - 1) + " workers");
        }
        try {
            String refusal = SupportedSystem.refusal();
            if (refusal != null) throw new UsageException(refusal);
            List<String> flags = new ArrayList<>(CurrentJvm.flags());
            ProgramClasses classes = CurrentJvm.classes(type, flags);
            flags.addAll(jvm);
            check(jvm, count + 1);
            ProgramSpec spec = new ProgramSpec(count + 1, type.getName(), List.of(), null, flags);
            Program program = new Program.Spawned(spec, type.getName(), classes, Map.of(), null);
            Run run = Run.of(type.getName(), List.of())
                    .size(count + 1)
                    .hosts("localhost:" + (count + 1)) // independent of the allocation of this process
                    .engine(RankEnvironment.SHM)
                    .env(Map.of(RankEnvironment.POOL, RankEnvironment.OF_APPLICATION))
                    .output(System.out)
                    .error(System.err)
                    .build();
            return HostedWorkers.start(run, program);
        } catch (UsageException e) {
            throw cannot("processes", String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw cannot("processes", "a worker could not be started: " + e);
        }
    }

    @Override
    public List<LibrarySpawning.Command> commands(List<Part> parts, Supplier<Map<String, String>> environment) {
        try {
            List<Program> programs = programs(parts);
            Run run = run(programs).build();
            Map<String, String> variables = environment.get();
            List<LibrarySpawning.Command> commands = new ArrayList<>();
            for (Program program : programs) {
                List<String> line = new ArrayList<>(List.of(ENV));
                for (String name : OF_THIS_JOB) line.addAll(List.of("-u", name));
                variables.forEach((name, value) -> line.add(name + "=" + value));
                line.add(RankEnvironment.PROGRAM + "=" + commands.size());
                if (program instanceof Program.Spawned spawned) {
                    spawned.env().forEach((name, value) -> line.add(name + "=" + value));
                    if (spawned.wdir() != null) {
                        line.addAll(IN_DIRECTORY);
                        line.add(spawned.wdir().toString());
                    }
                }
                line.addAll(RankCommand.of(program, run, 0, null));
                commands.add(new LibrarySpawning.Command(line, program.spec().size()));
            }
            return commands;
        } catch (UsageException e) {
            throw cannot(e);
        }
    }

    private static Fault cannot(UsageException e) {
        return cannot("spawn", String.valueOf(e.getMessage()));
    }

    private static Fault cannot(String operation, String why) {
        return Fault.argument(PredefinedErrorClass.ERR_SPAWN, operation, why, null);
    }

    private static List<Program> programs(List<Part> parts) {
        List<String> flags = CurrentJvm.flags();
        List<Program> programs = new ArrayList<>();
        for (Part part : parts) programs.add(program(part, flags));
        long ranks = programs.stream().mapToLong(p -> p.spec().size()).sum();
        for (Part part : parts) check(part.settings().jvm(), Math.clamp(ranks, 1, MOST_RANKS));
        return programs;
    }

    /// Checks the options by starting a JVM, so that a mistake results in a single error message.
    private static void check(List<String> jvm, int ranks) {
        try {
            JvmOptions.check(new ProgramSpec(1, "", List.of(), null, jvm), ranks, 0);
        } catch (UsageException e) {
            throw new UsageException(String.valueOf(e.getMessage()).replace("--jvm ", ""));
        }
    }

    private static RunBuilder run(List<Program> programs) {
        long size = programs.stream().mapToLong(p -> p.spec().size()).sum();
        if (size > MOST_RANKS) {
            throw new UsageException(size + " ranks: a world on one machine has at most " + MOST_RANKS);
        }
        Program first = programs.getFirst();
        RunBuilder run = Run.of(first.spec().program(), first.spec().args())
                .size(first.spec().size());
        for (Program program : programs.subList(1, programs.size())) {
            run.program(program.spec().program(), program.spec().args())
                    .size(program.spec().size());
        }
        return run.hosts("localhost:" + size) // independent of the allocation of this process
                .engine(RankEnvironment.SHM);
    }

    private static Program program(Part part, List<String> flags) {
        List<String> jvm = new ArrayList<>(flags);
        jvm.addAll(part.settings().jvm());
        Entry entry = part.entry();
        if (entry == null) return named(part, jvm);
        String name = MainMethod.name(entry.type(), entry.method(), entry.descriptor());
        if (entry.method() == null) MainMethod.of(entry.type());
        ProgramSpec spec = new ProgramSpec(part.size(), name, part.arguments(), null, jvm);
        return spawned(part, spec, name, CurrentJvm.classes(entry.type(), flags));
    }

    private static Program spawned(Part part, ProgramSpec spec, String entry, ProgramClasses classes) {
        Path wdir = part.settings().wdir();
        if (wdir != null && !Files.isDirectory(wdir)) {
            throw new UsageException("wdir=" + wdir + ": there is no such directory"
                    + (wdir.isAbsolute() ? "" : " in " + Path.of("").toAbsolutePath()));
        }
        Path absolute = wdir == null ? null : wdir.toAbsolutePath().normalize();
        return new Program.Spawned(spec, entry, classes, part.settings().env(), absolute);
    }

    /// Returns a program that is specified as in `tutti run`, with the classes of this process.
    private static Program named(Part part, List<String> jvm) {
        String classPath = CurrentJvm.classPath();
        ProgramSpec spec = new ProgramSpec(part.size(), part.program(), part.arguments(), classPath, jvm);
        if (!spec.isJava()) {
            throw new UsageException(part.program()
                    + " is not a Java program; programs in other languages cannot share memory with these ranks");
        }
        try {
            if (Programs.resolve(spec) instanceof Program.OfJava java) {
                ProgramClasses classes = java.classes();
                if (classes.bootLauncher() == null) classes = CurrentJvm.onPath(classes.classPath());
                return spawned(part, spec, java.mainClass(), classes);
            }
        } catch (UsageException e) {
            String text = String.valueOf(e.getMessage());
            throw new UsageException(text.replace(ClassPath.absolute(classPath), "of this process"));
        }
        throw new IllegalStateException(part.program() + " is not a Java program");
    }

    private static Fault wrong(String text) {
        return Fault.argument(PredefinedErrorClass.ERR_ARG, "spawn", text, null);
    }

    /// Runs the job on a separate thread, because ranks die with the starting thread, and the carrier of a
    /// virtual thread may end at any time.
    private static Job.End byItsOwnThread(Run run, Program program) throws IOException, InterruptedException {
        AtomicReference<Object> result = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().name("tutti-spawn").start(() -> {
            try {
                result.set(Launcher.runHere(run, List.of(program), true, status -> {}));
            } catch (Throwable e) { // reported to the caller
                result.set(e);
            }
        });
        try {
            thread.join();
        } catch (InterruptedException e) {
            thread.interrupt();
            awaitWithoutInterrupt(thread);
            throw e;
        }
        return switch (result.get()) {
            case Job.End end -> end;
            case IOException e -> throw e;
            case InterruptedException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case null, default -> throw new IllegalStateException("the thread that starts ranks has ended");
        };
    }

    /// Waits for the thread, even if the current thread is interrupted. The thread ends the ranks within a time
    /// limit.
    private static void awaitWithoutInterrupt(Thread thread) {
        boolean again = true;
        while (again) {
            try {
                thread.join();
                again = false;
            } catch (InterruptedException e) {
                // reported to the caller later
            }
        }
    }
}
