package org.tutti.mpi.dropin;

import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.internal.DropInBridge;

/// Membership in a job, for a compatibility layer.
public final class DropIn {
    /// An empty resource in the jar of each compatibility layer.
    public static final String MARKER = "META-INF/org.tutti.compat";

    /// The entry class of ranks that a launcher starts, followed by a blank.
    private static final String RANK_MAIN = "org.tutti.launch.rank.RankMain ";

    private DropIn() {}

    /// Joins the job.
    ///
    /// @param anyClass any class of the compatibility layer
    /// @throws IllegalStateException if the class path contains a second compatibility layer, which would have
    ///     the same class names
    public static Mpi join(Class<?> anyClass) {
        List<String> jars = markers(anyClass);
        if (jars.size() > 1) {
            throw new IllegalStateException("the class path contains two implementations of package mpi, "
                    + String.join(" and ", jars) + ", with the same class names; remove one");
        }
        Mpi mpi = Mpi.init();
        if (mpi.world().rank() == 0) noteOriginals(anyClass);
        DropInBridge.get().isNotUsers(anyClass.getPackageName());
        return mpi;
    }

    private static List<String> markers(Class<?> anyClass) {
        return containers(anyClass, MARKER);
    }

    /// Reports original classes of the legacy API on the class path, for example in a fat jar. The JVM ignores
    /// these classes, because the classes of the compatibility layer are first.
    private static void noteOriginals(Class<?> anyClass) {
        String own = anyClass.getName().replace('.', '/') + ".class";
        List<String> all = containers(anyClass, own);
        if (all.size() < 2) return;
        System.err.println("tutti: note: " + anyClass.getName() + " is in " + all.getFirst()
                + ", which is used, and in " + String.join(", ", all.subList(1, all.size())) + ", which is not");
    }

    private static List<String> containers(Class<?> anyClass, String resource) {
        ClassLoader loader = anyClass.getClassLoader();
        List<String> jars = new ArrayList<>();
        try {
            var all = loader == null ? ClassLoader.getSystemResources(resource) : loader.getResources(resource);
            for (URL url : Collections.list(all)) jars.add(container(url.toString(), resource));
        } catch (IOException e) {
            return List.of();
        }
        return jars;
    }

    /// Returns the file in a URL such as `jar:file:/a/b.jar!/META-INF/…`.
    private static String container(String url, String resource) {
        String text = url.substring(0, url.length() - resource.length() - 1);
        text = text.endsWith("!") ? text.substring(0, text.length() - 1) : text;
        int file = text.indexOf("file:");
        return file < 0 ? text : text.substring(file + "file:".length());
    }

    /// Returns the main class of the program, as passed to the JVM or to the entry class of ranks; empty if the
    /// JVM does not report it.
    public static String mainClass() {
        String command = program();
        int end = command.indexOf(' ');
        return end < 0 ? command : command.substring(0, end);
    }

    /// Returns the arguments of [#mainClass], separated by blanks.
    public static String arguments() {
        String command = program();
        int end = command.indexOf(' ');
        return end < 0 ? "" : command.substring(end + 1);
    }

    private static String program() {
        String command = System.getProperty("sun.java.command", "");
        return command.startsWith(RANK_MAIN) ? command.substring(RANK_MAIN.length()) : command;
    }

    /// Ends the job because of an error; see [DropInBridge#abort].
    public static void abort(Mpi mpi, int code, String why) {
        DropInBridge.get().abort(mpi, code, why);
    }

    /// Leaves the job; see [DropInBridge#leave].
    public static void leave(Mpi mpi) {
        DropInBridge.get().leave(mpi);
    }
}
