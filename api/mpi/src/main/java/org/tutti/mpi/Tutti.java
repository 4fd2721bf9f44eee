package org.tutti.mpi;

import java.io.Serializable;
import java.util.List;
import org.tutti.job.environment.VisibleDevices;
import org.tutti.spi.Spawner;

/// Starts ranks from within a program, without a launcher. The ranks are threads of this JVM ([#local]), for
/// unit tests, JShell and notebooks, or processes ([#spawn]).
public final class Tutti {
    private Tutti() {}

    /// The code of each rank.
    @FunctionalInterface
    public interface Body {
        /// Runs as a rank.
        ///
        /// @throws Exception any exception is a failure of the rank, and ends the job
        void run(Mpi mpi) throws Exception;
    }

    /// The entry point of each rank of [#spawn], like a main method: a static method, or a lambda that captures
    /// no values.
    @FunctionalInterface
    public interface Main extends Serializable {
        /// Runs in a process that is a rank.
        ///
        /// @throws Exception any exception is a failure of the rank, and ends the job
        void run(String[] arguments) throws Exception;
    }

    /// Starts `size` ranks of a new job on this machine. Each rank is a process that runs the main method of
    /// `program` with these arguments; the program calls [Mpi#init], as under `tutti run`. Blocking: returns
    /// when all ranks have ended.
    ///
    /// Each process is a JVM like this one: it has the same Java and class path, and the system properties and
    /// `--add-…` options of the command line, and gets an equal part of the machine's memory. Modules on the
    /// module path of this JVM are added to the class path of each process. Complete lines of output of the
    /// ranks are printed on `System.out` and `System.err` of this process; stdin is empty. Only files are
    /// shared with this process, so values must be passed as arguments. A rank may call this method, too. A
    /// rank that was itself spawned may spawn other programs, but not the program that it runs.
    ///
    /// The remaining ranks are ended when a rank fails, when the calling thread is interrupted, and when this
    /// process ends.
    ///
    /// @throws MpiException `ERR_PROC_FAILED` if a rank failed or the thread was interrupted; the message
    ///     contains the exception or the exit code of the first rank that failed; `ERR_ARG` if `size` is not a
    ///     valid number of ranks, `program` has no main method, or a separate process cannot find the class;
    ///     `ERR_OTHER` if tutti-launch is not on the class path
    public static void spawn(int size, Class<?> program, String... arguments) {
        Spawn.run(size, new Spawner.Entry(program, null, ""), List.of(arguments));
    }

    /// Starts ranks as [#spawn(int, Class, String...)] does, with a static method instead of the main method,
    /// for example `Tutti.spawn(4, Worker::train, "--epochs", "3")`.
    ///
    /// @throws MpiException as [#spawn(int, Class, String...)]; `ERR_ARG` also for an instance method and for a
    ///     lambda that captures values
    public static void spawn(int size, Main program, String... arguments) {
        Spawn.run(size, Spawn.entry(program), List.of(arguments));
    }

    /// Returns the number of NVIDIA and AMD GPUs on this machine that are visible to this process, as counted
    /// by CUDA and HIP: GPUs hidden by `CUDA_VISIBLE_DEVICES`, `ROCR_VISIBLE_DEVICES` or `HIP_VISIBLE_DEVICES`
    /// are not included. Returns 0 if there is no GPU. For example, `Tutti.spawn(Math.max(1, Tutti.devices()),
    /// Worker::train)` starts a rank for each GPU.
    ///
    /// The number is read from the entries of drivers in `/dev` and `/sys` of Linux. A defective device is
    /// therefore counted, and on other systems no device is counted. Local: no driver is loaded, and no rank
    /// needs to run.
    public static int devices() {
        return VisibleDevices.count();
    }

    /// Runs `body` on `size` ranks. Each rank is a separate thread, and uses the same engine as ranks in
    /// processes. Blocking: returns when all ranks have ended.
    ///
    /// If a body throws an exception, ranks that wait for a message get an exception, and the other ranks are
    /// interrupted and get a grace time. Then this method throws. The exception names the ranks that have not
    /// ended, and the first collective call in which ranks differ, with the source lines. With tutti-launch on
    /// the class path, for example through the artifact `org.tutti:tutti`, ranks that wait for each other
    /// forever are ended after some seconds, and ten seconds without progress are reported on `System.err`, as
    /// under `tutti run`.
    ///
    /// @throws MpiException `ERR_ARG` if `size` is not a valid number of ranks; `ERR_PROC_FAILED` if a body has
    ///     thrown an exception, which is the cause, if ranks wait for each other forever, or if the calling
    ///     thread was interrupted; an `Error` is thrown unchanged
    public static void local(int size, Body body) {
        if (size < 1) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG, "local", "size=" + size + " is not a valid number of ranks", null);
        }
        ThreadedJob.run(size, body);
    }
}
