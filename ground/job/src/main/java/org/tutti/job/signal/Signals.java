package org.tutti.job.signal;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Handlers of signals, through `sun.misc.Signal` of module `jdk.unsupported`. The class is called by
/// reflection, because javac warns of every other use. In a JVM without the module, or with `-Xrs`, the default
/// handlers stay installed.
public final class Signals {
    public static final String TERM = "TERM", INT = "INT", USR1 = "USR1";

    /// Signal numbers on Linux and macOS; for SIGUSR1 only on Linux.
    public static final int NUMBER_OF_TERM = 15, NUMBER_OF_INT = 2, NUMBER_OF_USR1 = 10;

    private static final int HEX = 16;

    private Signals() {}

    /// Runs `action` on a new thread whenever the signal arrives. Returns false if this is not possible. A
    /// SIGTERM or SIGINT that was ignored when the JVM started stays ignored.
    public static boolean handle(String name, Runnable action) {
        return replace(name, action) != null;
    }

    /// Installs a handler as [#handle] does. Returns an action that restores the previous handler; null if no
    /// handler is possible.
    public static @Nullable Runnable replace(String name, Runnable action) {
        InvocationHandler calls = (proxy, method, arguments) -> switch (method.getName()) {
            case "handle" -> {
                action.run();
                yield null;
            }
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == arguments[0];
            default -> "signal handler";
        };
        try {
            Class<?> type = Class.forName("sun.misc.SignalHandler");
            Object previous = set(name, Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
            return () -> restore(name, previous);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            return null;
        }
    }

    /// Ignores the signal, in this process and in processes that this process starts from now on. Returns false
    /// if this is not possible.
    public static boolean ignore(String name) {
        return setToField(name, "SIG_IGN");
    }

    /// Restores the system's default action for the signal.
    public static boolean restore(String name) {
        return setToField(name, "SIG_DFL");
    }

    private static boolean setToField(String name, String field) {
        try {
            set(name, Class.forName("sun.misc.SignalHandler").getField(field).get(null));
            return true;
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            return false;
        }
    }

    private static void restore(String name, Object previous) {
        try {
            set(name, previous);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            throw new AssertionError(e); // a handler of this signal was accepted before
        }
    }

    /// Sets a handler. Returns the previous handler.
    private static Object set(String name, Object handler) throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        return signal.getMethod("handle", signal, Class.forName("sun.misc.SignalHandler"))
                .invoke(null, signal.getConstructor(String.class).newInstance(name), handler);
    }

    /// Returns whether this process ignores the signal; false if the system does not provide this information.
    public static boolean isIgnored(int number) {
        return isIn("SigIgn:", Path.of("/proc/self/status"), number, false);
    }

    /// Returns whether the process has a handler for the signal; true if the system does not provide this
    /// information.
    public static boolean isHandled(long pid, int number) {
        return isIn("SigCgt:", Path.of("/proc/" + pid + "/status"), number, true);
    }

    private static boolean isIn(String mask, Path status, int number, boolean unknown) {
        try {
            for (String line : Files.readAllLines(status, StandardCharsets.ISO_8859_1)) {
                if (!line.startsWith(mask)) continue;
                long bits = Long.parseUnsignedLong(line.substring(mask.length()).strip(), HEX);
                return (bits >> (number - 1) & 1) == 1;
            }
        } catch (IOException | NumberFormatException e) {
            // the system is not Linux
        }
        return unknown;
    }
}
