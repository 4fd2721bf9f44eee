package org.tutti.launch.artifact;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// The jars of tutti-resolve and of Maven's resolver: the folder `resolve` next to the jar of the command.
public final class ResolverJars {
    private static final String FOLDER = "resolve";

    private ResolverJars() {}

    /// Loads the implementation of [Repositories].
    ///
    /// @param purpose the feature that needs the resolver, for the message
    /// @throws UsageException if this installation has no resolver
    public static Repositories open(String purpose) {
        File[] jars = jars();
        if (jars == null) {
            throw new UsageException(purpose + " needs Maven's resolver, which is in the folder lib/" + FOLDER
                    + " of Tutti's distribution and not on this class path; use the command of the distribution");
        }
        // never closed, because the resolver loads classes until the process ends
        ClassLoader loader = new URLClassLoader(urls(jars), Repositories.class.getClassLoader());
        return ServiceLoader.load(Repositories.class, loader)
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        purpose + " needs tutti-resolve.jar in " + jars[0].getParent() + "; install Tutti again"));
    }

    private static File @Nullable [] jars() {
        String path = System.getProperty("java.class.path", "")
                + File.pathSeparator
                + System.getProperty("jdk.module.path", "");
        for (String entry : path.split(File.pathSeparator)) {
            File folder = new File(new File(entry).getAbsoluteFile().getParentFile(), FOLDER);
            File[] jars = folder.listFiles((in, name) -> name.endsWith(".jar"));
            if (jars == null || jars.length == 0) continue;
            Arrays.sort(jars);
            return jars;
        }
        return null;
    }

    private static URL[] urls(File[] jars) {
        URL[] urls = new URL[jars.length];
        try {
            for (int i = 0; i < jars.length; i++) urls[i] = jars[i].toURI().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e); // a file always has a URL
        }
        return urls;
    }
}
