package org.tutti.job.process;

import java.util.Spliterator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The line of the user's program that is at work: the first one outside of Tutti and the JDK. A walk
/// costs about a microsecond, so only where something is slow, over or wrong already.
public final class UserLine {
    private static final StackWalker WALKER = StackWalker.getInstance();

    /// How many walks take the whole stack, which the JVM does by itself: 45 µs, where a walk by frames runs 200 µs of
    /// bytecodes that nothing has compiled yet. Once they are compiled it takes one, however deep the stack is.
    private static final int COLD = 512;

    /// Too small by some where threads count at once.
    private static int walks;

    private static final String TUTTI = "org.tutti.";

    /// Tutti's modules that call or are called by a program, those that most often do first; its contract, tests
    /// and benchmarks are programs themselves.
    private static final String[] ROOMS = {
        "mpi.",
        "inspect.",
        "job.",
        "shm.",
        "os.",
        "libmpi.",
        "spi.",
        "coll.",
        "compat.",
        "futures.",
        "train.",
        "launch.",
        "cli.",
    };

    /// The JDK, and the tensor libraries of Tutti's adapters.
    private static final String[] SYSTEM = {"java.", "jdk.", "javax.", "sun.", "org.bytedeco.", "ai.djl."};

    /// The package of a drop-in, with its dot; empty while there is none.
    private static volatile String dropIn = "";

    private UserLine() {}

    /// From now on the classes of this package, not of those in it, are not the program's either.
    public static void exclude(String packageName) {
        dropIn = packageName + ".";
        ApiNames.useAnother();
    }

    /// Of the calling thread: `Ring.java:30`; empty when there is none.
    public static String here() {
        StackTraceElement first = frame();
        return first == null ? "" : text(first);
    }

    /// Of the calling thread, with class and method; null when there is none.
    public static @Nullable StackTraceElement frame() {
        if (walks < COLD) {
            walks++;
            StackTraceElement found = first(new Throwable().getStackTrace());
            if (found != null) return found;
        }
        StackWalker.StackFrame first = new FirstFrame().find();
        return first == null ? null : first.toStackTraceElement();
    }

    private static @Nullable StackTraceElement first(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) if (isUsers(frame.getClassName())) return frame;
        return null;
    }

    /// The first frame of the program. Without a pipeline, of which each frame would run some hundred bytecodes, and
    /// without the bridge method of a `Consumer<StackFrame>`.
    private static final class FirstFrame implements Consumer<Object> {
        private StackWalker.@Nullable StackFrame found;

        StackWalker.@Nullable StackFrame find() {
            return WALKER.walk(this::in);
        }

        private StackWalker.@Nullable StackFrame in(Stream<StackWalker.StackFrame> frames) {
            Spliterator<StackWalker.StackFrame> each = frames.spliterator();
            boolean more = true;
            while (more && found == null) more = each.tryAdvance(this);
            return found;
        }

        @Override
        public void accept(Object each) {
            StackWalker.StackFrame frame = (StackWalker.StackFrame) each;
            if (isUsers(frame.getClassName())) found = frame;
        }
    }

    /// The same as the end of a sentence: ` at Ring.java:30`; empty when there is none.
    public static String at() {
        String line = here();
        return line.isEmpty() ? "" : " at " + line;
    }

    /// Of another thread.
    public static String of(Thread thread) {
        StackTraceElement first = first(thread.getStackTrace());
        return first == null ? "" : text(first);
    }

    /// Of a stack, as the end of a sentence.
    static String in(StackTraceElement[] stack) {
        StackTraceElement first = first(stack);
        return first == null ? "" : " at " + text(first);
    }

    /// Of a frame, as [#here].
    public static String text(StackTraceElement frame) {
        String file = frame.getFileName();
        if (file == null) return frame.getClassName() + "." + frame.getMethodName();
        return frame.getLineNumber() > 0 ? file + ":" + frame.getLineNumber() : file;
    }

    /// Whether the class belongs to the program, and not to Tutti, the JDK or a tensor library.
    public static boolean isUsers(String className) {
        if (className.startsWith(TUTTI)) {
            for (String room : ROOMS) if (className.startsWith(room, TUTTI.length())) return false;
            return true;
        }
        for (String prefix : SYSTEM) if (className.startsWith(prefix)) return false;
        return !isOfDropIn(className);
    }

    /// Whether the program uses a drop-in.
    public static boolean isOfDropIn() {
        return !dropIn.isEmpty();
    }

    private static boolean isOfDropIn(String className) {
        String own = dropIn;
        return !own.isEmpty() && className.startsWith(own) && className.indexOf('.', own.length()) < 0;
    }

    /// Whether it is one of Tutti's, or of a drop-in.
    static boolean isOfTutti(String className) {
        return className.startsWith(TUTTI) || isOfDropIn(className);
    }
}
