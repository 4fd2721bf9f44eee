package org.tutti.mpi.dropin;

import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.internal.DropInBridge;

/// A drop-in's part in a job: how it joins and leaves.
public final class DropIn {
    /// In each drop-in's jar; says nothing.
    public static final String MARKER = "META-INF/org.tutti.compat";

    /// The entry class of ranks that a launcher starts, and a blank.
    private static final String RANK_MAIN = "org.tutti.launch.rank.RankMain ";

    private DropIn() {}

    /// Joins the job.
    ///
    /// @param anyClass one of the drop-in
    /// @throws IllegalStateException when another one is on the class path, too: their classes have the same
    ///     names
    public static Mpi join(Class<?> anyClass) {
        List<String> jars = markers(anyClass);
        if (jars.size() > 1) {
            throw new IllegalStateException("there are two implementations of package mpi on the class path, "
                    + String.join(" and ", jars) + ": their classes have the same names; leave one out");
        }
        Mpi mpi = Mpi.init();
        if (mpi.world().rank() == 0) noteOriginals(anyClass);
        DropInBridge.get().isNotUsers(anyClass.getPackageName());
        return mpi;
    }

    private static List<String> markers(Class<?> anyClass) {
        return containers(anyClass, MARKER);
    }

    /// The class path may also contain the original classes, in a fat jar. The JVM loads the classes of the
    /// drop-in, which precede them.
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

    /// Of `jar:file:/a/b.jar!/META-INF/…` the file.
    private static String container(String url, String resource) {
        String text = url.substring(0, url.length() - resource.length() - 1);
        text = text.endsWith("!") ? text.substring(0, text.length() - 1) : text;
        int file = text.indexOf("file:");
        return file < 0 ? text : text.substring(file + "file:".length());
    }

    /// Returns the program's main class, as the JVM was given it, or as the entry class of ranks was; empty
    /// where the JVM does not report it.
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

    /// Ends the job with an error as the cause: see [DropInBridge#abort].
    public static void abort(Mpi mpi, int code, String why) {
        DropInBridge.get().abort(mpi, code, why);
    }

    /// Leaves it: see [DropInBridge#leave].
    public static void leave(Mpi mpi) {
        DropInBridge.get().leave(mpi);
    }
}
