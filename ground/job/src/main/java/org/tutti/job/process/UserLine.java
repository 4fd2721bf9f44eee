package org.tutti.job.process;

import java.util.Spliterator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The current line of the user's program: the first frame outside of Tutti and the JDK. A walk of the stack
/// costs about a microsecond, so it is used only for slow, completed or failed operations.
public final class UserLine {
    private static final StackWalker WALKER = StackWalker.getInstance();

    /// The number of walks at the beginning that visit the whole stack. The JVM visits it natively in 45 µs,
    /// whereas a walk by frames at first interprets bytecodes for 200 µs. After compilation, a walk by frames
    /// needs one microsecond at any stack depth.
    private static final int COLD = 512;

    /// The number of walks so far. It may be too low, because threads count concurrently.
    private static int walks;

    private static final String TUTTI = "org.tutti.";

    /// The modules of Tutti that call a program, or that a program calls, in order of frequency. Tutti's
    /// contract tests, other tests and benchmarks are not included, because these are programs themselves.
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
        "device.",
        "serve.",
    };

    /// The JDK, and the tensor libraries of Tutti's adapters.
    private static final String[] SYSTEM = {"java.", "jdk.", "javax.", "sun.", "org.bytedeco.", "ai.djl."};

    /// The package of a compatibility layer, with a trailing dot; empty for none.
    private static volatile String dropIn = "";

    private UserLine() {}

    /// Excludes the classes of this package, without subpackages, from the program.
    public static void exclude(String packageName) {
        dropIn = packageName + ".";
        ApiNames.useAnother();
    }

    /// Returns the current line of the calling thread, for example `Ring.java:30`; an empty string if there is
    /// none.
    public static String here() {
        StackTraceElement first = frame();
        return first == null ? "" : text(first);
    }

    /// Returns the frame of the calling thread, with class and method; null if the stack has no frame of the
    /// program.
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

    /// Finds the first frame of the program. A stream pipeline would execute some hundred bytecodes per frame,
    /// and a `Consumer<StackFrame>` would need a bridge method; this class avoids both.
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

    /// Returns the current line as the end of a sentence, for example ` at Ring.java:30`; an empty string if
    /// there is none.
    public static String at() {
        String line = here();
        return line.isEmpty() ? "" : " at " + line;
    }

    /// Returns the current line of `thread`.
    public static String of(Thread thread) {
        StackTraceElement first = first(thread.getStackTrace());
        return first == null ? "" : text(first);
    }

    /// Returns the line in a stack, as the end of a sentence.
    static String in(StackTraceElement[] stack) {
        StackTraceElement first = first(stack);
        return first == null ? "" : " at " + text(first);
    }

    /// Returns the line of a frame, in the format of [#here].
    public static String text(StackTraceElement frame) {
        String file = frame.getFileName();
        if (file == null) return frame.getClassName() + "." + frame.getMethodName();
        return frame.getLineNumber() > 0 ? file + ":" + frame.getLineNumber() : file;
    }

    /// Returns whether the class is part of the program, and not of Tutti, the JDK or a tensor library.
    public static boolean isUsers(String className) {
        if (className.startsWith(TUTTI)) {
            for (String room : ROOMS) if (className.startsWith(room, TUTTI.length())) return false;
            return true;
        }
        for (String prefix : SYSTEM) if (className.startsWith(prefix)) return false;
        return !isOfDropIn(className);
    }

    /// Returns whether the program uses a compatibility layer.
    public static boolean isOfDropIn() {
        return !dropIn.isEmpty();
    }

    private static boolean isOfDropIn(String className) {
        String own = dropIn;
        return !own.isEmpty() && className.startsWith(own) && className.indexOf('.', own.length()) < 0;
    }

    /// Returns whether the class is part of Tutti or of a compatibility layer.
    static boolean isOfTutti(String className) {
        return className.startsWith(TUTTI) || isOfDropIn(className);
    }
}
