package org.tutti.launch.rank;

import java.util.Arrays;
import org.tutti.job.environment.JobException;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.process.RankProcess;
import org.tutti.job.signal.Signals;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.UsageException;
import org.tutti.launch.program.MainMethod;

/// The entry class of a rank's JVM: registers the rank with the job, then runs the user's main method as Java
/// does.
///
///     java … org.tutti.launch.rank.RankMain MAIN_CLASS ARGS…
public final class RankMain {
    private RankMain() {}

    /// The main class of ranks other than 0 with `--pool`; referenced by name, because the launcher does not
    /// depend on pools.
    private static final String POOL_WORKER = "org.tutti.futures.PoolWorker";

    /// Spring Boot's loader starts this class if the program is in a Boot jar. Only then is the context class
    /// loader Spring Boot's; otherwise it is the system class loader.
    private static final String BOOT_LOADER = "org.springframework.boot.loader.";

    /// The maximum number of stack traces of an exception and its causes from which the launcher's frames are
    /// removed.
    private static final int CAUSES = 100;

    public static void main(String[] args) {
        RankProcess process;
        MainMethod program;
        String[] words = Arrays.copyOfRange(args, 1, args.length);
        try {
            RankEnvironment node = RankEnvironment.onNode();
            RankEnvironment environment = node == null ? RankEnvironment.current() : node;
            process = RankProcess.begin(environment);
            fillIn(words, environment);
            dieWithLauncher(environment);
            // Ctrl-C reaches all processes of a terminal, but the application decides when the workers end
            if (RankEnvironment.isOfApplication()) Signals.ignore(Signals.INT);
            boolean serves = RankEnvironment.isOfPool() && environment.rank() > 0;
            program = load(serves ? POOL_WORKER : args[0]);
            if (RankEnvironment.parent() != null && environment.launcher() != RankEnvironment.Launcher.TUTTI) {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> endUnjoined(process), "tutti-unjoined"));
            }
        } catch (JobException | UsageException e) {
            System.err.println("tutti: " + e.getMessage());
            System.exit(2);
            return;
        }
        try {
            program.call(words);
            process.printNotes();
            if (process.isToServe()) watchUnserved(process);
        } catch (Throwable t) {
            cutLauncherFrames(t);
            end(process, t);
        }
    }

    /// If the program was started with `--with mpj`, replaces the first two arguments by the rank and the number
    /// of ranks. The third argument is the device, as in MPJ Express. If ranks communicate through an MPI
    /// library, only the process of a rank can determine these numbers.
    static void fillIn(String[] words, RankEnvironment environment) {
        if (words.length < 3 || !words[0].equals("mpj-rank") || !words[2].equals("smpdev")) return;
        words[0] = Integer.toString(environment.rank());
        words[1] = Integer.toString(environment.size());
    }

    private static void dieWithLauncher(RankEnvironment environment) {
        if (environment.launcher() == RankEnvironment.Launcher.NONE) return;
        RankProcess process = RankProcess.current();
        JobStatus status = process == null ? null : process.jobStatus();
        if (status == null) {
            // mpirun starts ranks even if Tutti's launcher, which started mpirun, has been killed.
            if (environment.job() != null && (process == null || !process.isRemote())) {
                throw new UsageException("the launcher of this rank has ended");
            }
            ParentWatch.start(0);
            return;
        }
        if (environment.launcher() == RankEnvironment.Launcher.TUTTI)
            OsPlatform.open().dieWithParent(status.launcherPid());
        else ParentWatch.start(status.launcherPid());
    }

    /// Ends a spawned process that would exit with 0 before it has joined. The launcher of a library does not
    /// report such an exit, and the parents would wait for the process inside the library.
    private static void endUnjoined(RankProcess process) {
        if (process.hasJoined() || process.failed()) return;
        process.print(
                "a program that ranks have spawned has ended without Mpi.init, while the ranks were waiting for it");
        Runtime.getRuntime().halt(1);
    }

    /// Reports a program of `tutti serve` that ends without serving. A shutdown hook checks this, because other
    /// threads of the program may still call `serve` after main has returned.
    private static void watchUnserved(RankProcess process) {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> endUnserved(process), "tutti-unserved"));
        } catch (IllegalStateException e) {
            // already terminating, through System.exit or a signal
        }
    }

    private static void endUnserved(RankProcess process) {
        if (!process.isToServe() || process.failed()) return;
        process.aborts(
                1,
                "the program has ended without serving; tutti serve runs programs that call Service.serve(),"
                        + " tutti run all other programs");
        Runtime.getRuntime().halt(1);
    }

    private static MainMethod load(String mainClass) {
        try {
            return MainMethod.named(mainClass, Thread.currentThread().getContextClassLoader());
        } catch (ClassNotFoundException e) {
            throw new UsageException("class " + mainClass + " is not on the class path of this rank");
        } catch (LinkageError e) {
            throw new UsageException("class " + mainClass + " cannot be loaded: " + e);
        }
    }

    /// Handles an exception that main did not catch: as in Java, the program's uncaught exception handler runs
    /// first.
    private static void end(RankProcess process, Throwable t) {
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler own = Thread.getDefaultUncaughtExceptionHandler();
        if (own != null && own != process) {
            try {
                own.uncaughtException(thread, t);
            } catch (Throwable again) { // ignored, as in Java
                process.uncaughtException(thread, t);
            }
            process.failedSilently(t);
        } else {
            process.uncaughtException(thread, t);
        }
    }

    /// Removes the frames of the launcher and of reflection from the end of the stack traces of the exception and
    /// of its causes.
    private static void cutLauncherFrames(Throwable t) {
        Throwable cause = t;
        for (int i = 0; i < CAUSES && cause != null; i++, cause = cause.getCause()) {
            StackTraceElement[] stack = cause.getStackTrace();
            int end = stack.length;
            while (end > 0 && isOurs(stack[end - 1].getClassName())) end--;
            if (end < stack.length && end > 0) cause.setStackTrace(Arrays.copyOf(stack, end));
        }
    }

    private static boolean isOurs(String className) {
        return className.startsWith("org.tutti.launch.")
                || className.startsWith(BOOT_LOADER)
                || className.startsWith("jdk.internal.reflect.")
                || className.startsWith("java.lang.reflect.")
                || className.startsWith("java.lang.invoke.");
    }
}
