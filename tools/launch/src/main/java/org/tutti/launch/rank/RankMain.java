package org.tutti.launch.rank;

import java.util.Arrays;
import org.tutti.job.environment.JobException;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.process.RankProcess;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.UsageException;
import org.tutti.launch.program.MainMethod;

/// The entry class of a rank's JVM: takes its place in the job, then runs the user's main as if Java had.
///
///     java … org.tutti.launch.rank.RankMain MAIN_CLASS ARGS…
public final class RankMain {
    private RankMain() {}

    /// What ranks other than 0 run with `--pool`; by its name, because the launcher needs nothing of pools.
    private static final String POOL_WORKER = "org.tutti.futures.PoolWorker";

    /// How many causes deep the launcher's frames are taken out of a stack trace.
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
            process.sayNotes();
            if (process.isToServe()) watchUnserved(process);
        } catch (Throwable t) {
            cutLauncherFrames(t);
            end(process, t);
        }
    }

    /// With `--with mpj` a program's words begin as those of MPJ Express do: its rank, the number of ranks, a
    /// device.
    /// Over a library only the rank's own process knows the first two.
    static void fillIn(String[] words, RankEnvironment environment) {
        if (words.length < 3 || !words[0].equals("mpj-rank") || !words[2].equals("smpdev")) return;
        words[0] = Integer.toString(environment.rank());
        words[1] = Integer.toString(environment.size());
    }

    private static void dieWithLauncher(RankEnvironment environment) {
        if (environment.launcher() == RankEnvironment.Launcher.NONE) return;
        RankProcess process = RankProcess.current();
        JobStatus status = process == null ? null : process.board();
        if (status == null) {
            // An mpirun starts ranks also when the launcher that started it was killed meanwhile.
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

    /// A library's launcher takes no notice of a process that was spawned and ends with 0 before it has joined,
    /// while its parents wait for it in the library.
    private static void endUnjoined(RankProcess process) {
        if (process.hasJoined() || process.failed()) return;
        process.say("a program that ranks have spawned has ended without Mpi.init, for which they wait");
        Runtime.getRuntime().halt(1);
    }

    /// By a thread that goes on it may still serve.
    private static void watchUnserved(RankProcess process) {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> endUnserved(process), "tutti-unserved"));
        } catch (IllegalStateException e) {
            // it ends already, by System.exit or a signal
        }
    }

    private static void endUnserved(RankProcess process) {
        if (!process.isToServe() || process.failed()) return;
        process.aborts(
                1,
                "the program has ended and has not served; tutti serve runs programs that call Service.serve(), and"
                        + " tutti run all others");
        Runtime.getRuntime().halt(1);
    }

    private static MainMethod load(String mainClass) {
        try {
            return MainMethod.named(mainClass, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException e) {
            throw new UsageException("class " + mainClass + " is not on the class path of this rank");
        } catch (LinkageError e) {
            throw new UsageException("class " + mainClass + " cannot be loaded: " + e);
        }
    }

    /// An exception that main did not catch: first the program's own handler, if it set one, as Java does it.
    private static void end(RankProcess process, Throwable t) {
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler own = Thread.getDefaultUncaughtExceptionHandler();
        if (own != null && own != process) {
            try {
                own.uncaughtException(thread, t);
            } catch (Throwable again) { // Java ignores it as well
                process.uncaughtException(thread, t);
            }
            process.failedSilently(t);
        } else {
            process.uncaughtException(thread, t);
        }
    }

    /// Takes our frames and reflection's from the end of the stack, where the user does not expect them.
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
                || className.startsWith("jdk.internal.reflect.")
                || className.startsWith("java.lang.reflect.")
                || className.startsWith("java.lang.invoke.");
    }
}
