package org.tutti.mpi;

import java.io.Serializable;
import java.util.List;
import org.tutti.job.environment.VisibleDevices;
import org.tutti.spi.Spawner;

/// Ranks that a program starts by itself, without a launcher around it: as threads of this JVM
/// ([#local]), for unit tests, JShell and notebooks, or as processes ([#spawn]).
public final class Tutti {
    private Tutti() {}

    /// What each rank runs.
    @FunctionalInterface
    public interface Body {
        /// Runs as a rank.
        ///
        /// @throws Exception any; it is that rank's failure, and ends the job
        void run(Mpi mpi) throws Exception;
    }

    /// What each rank of [#spawn] runs, and what a main method is: a static method, or a lambda that
    /// holds no value.
    @FunctionalInterface
    public interface Main extends Serializable {
        /// Runs as a process that is a rank.
        ///
        /// @throws Exception any; it is that rank's failure, and ends the job
        void run(String[] arguments) throws Exception;
    }

    /// Starts `size` ranks of a new job on this machine, each a process that runs the main method of
    /// `program` with these arguments. Blocking: returns when all have ended. There they call [Mpi#init],
    /// as under `tutti run`.
    ///
    /// Each is a JVM like this one: its Java, class path and module path, the system properties and
    /// `--add-…` options of its command line, with a fair share of the machine's memory. Modules become
    /// part of the class path. What ranks print comes out of this process's `System.out` and
    /// `System.err`, by whole lines; their stdin is empty. Nothing of this process is shared but files:
    /// values go by the arguments. A program that is itself a rank may call it, and a rank that was
    /// spawned may spawn others, but not what it runs itself.
    ///
    /// When a rank fails, or the calling thread is interrupted, the others are ended. When this process
    /// ends, so do they.
    ///
    /// @throws MpiException `ERR_PROC_FAILED` when a rank failed, or the thread was interrupted, with the
    ///     first one's exception or exit code; `ERR_ARG` when `program` has no main method or its class
    ///     cannot be found by another process; `ERR_OTHER` without tutti-launch on the class path
    public static void spawn(int size, Class<?> program, String... arguments) {
        Spawn.run(size, new Spawner.Entry(program, null, ""), List.of(arguments));
    }

    /// As [#spawn(int, Class, String...)], with a static method in place of the main method: `Tutti.spawn(4,
    /// Worker::train, "--epochs", "3")`.
    ///
    /// @throws MpiException as [#spawn(int, Class, String...)]; `ERR_ARG` also for a method that is not
    ///     static and for a lambda that holds values
    public static void spawn(int size, Main program, String... arguments) {
        Spawn.run(size, Spawn.entry(program), List.of(arguments));
    }

    /// How many GPUs a program of this process sees, as CUDA and HIP count them: NVIDIA's and AMD's on this
    /// machine, less those that `CUDA_VISIBLE_DEVICES`, `ROCR_VISIBLE_DEVICES` or `HIP_VISIBLE_DEVICES` hide; 0
    /// where there are none. So `Tutti.spawn(Math.max(1, Tutti.devices()), Worker::train)` starts a rank for
    /// each.
    ///
    /// Known from what drivers show in `/dev` and `/sys` of Linux, so a device that does not work counts, and one
    /// on another system does not. Local: no driver is loaded, and no rank needs to run.
    public static int devices() {
        return VisibleDevices.count();
    }

    /// Runs `body` on `size` ranks, each a thread of its own, over the same engine that ranks in processes
    /// use. Blocking: returns when all have ended.
    ///
    /// When a body throws, ranks that wait for a message get an exception, the others an interrupt and a
    /// grace time; then this throws, with the ranks that did not end named in the text, and the first collective
    /// call that ranks have called differently, with its lines. With tutti-launch on the class path, as
    /// `org.tutti:tutti` has it, ranks that wait for each other forever end after some seconds, and ten seconds
    /// without progress are reported on `System.err`, as under `tutti run`.
    ///
    /// @throws MpiException `ERR_ARG` when `size` is no number of ranks; `ERR_PROC_FAILED` when a body threw
    ///     an exception, which is the cause, ranks wait for each other forever, or the calling thread was
    ///     interrupted; an `Error` is thrown as it is
    public static void local(int size, Body body) {
        if (size < 1) {
            throw MpiException.argument(ErrorClass.ERR_ARG, "local", "size=" + size + " is no number of ranks", null);
        }
        ThreadedJob.run(size, body);
    }
}
