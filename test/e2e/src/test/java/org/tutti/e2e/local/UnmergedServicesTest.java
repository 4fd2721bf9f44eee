package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A jar that contains a program and all classes of Tutti, built without merging the service files.
class UnmergedServicesTest {
    private static final class OneJar extends URLClassLoader {
        OneJar(URL[] places) {
            super(places, ClassLoader.getPlatformClassLoader());
        }

        /// Loads the classes from the jar, not from the modules with which the test runs.
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) return known;
                return name.startsWith("org.tutti.") ? findClass(name) : super.loadClass(name, resolve);
            }
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return name.startsWith("META-INF/services/org.tutti.")
                    ? Collections.emptyEnumeration()
                    : super.getResources(name);
        }
    }

    private static URL[] places() throws Exception {
        List<URL> places = new ArrayList<>();
        String all = System.getProperty("jdk.module.path", "")
                + File.pathSeparator
                + System.getProperty("java.class.path", "");
        for (String place : all.split(File.pathSeparator)) {
            if (!place.isEmpty()) places.add(new File(place).toURI().toURL());
        }
        return places.toArray(URL[]::new);
    }

    @Test
    void enginesAreFoundWithoutServiceFiles() throws Exception {
        try (OneJar jar = new OneJar(places())) {
            Class<?> engines = jar.loadClass("org.tutti.mpi.engine.Engines");
            assertThat(engines.getClassLoader()).isSameAs(jar);
            for (String name : List.of("shm", "libmpi")) {
                Object provider = engines.getMethod("named", String.class).invoke(null, name);
                assertThat(provider.getClass().getClassLoader()).isSameAs(jar);
                assertThat(provider.getClass().getMethod("name").invoke(provider))
                        .isEqualTo(name);
            }
        }
    }

    @Test
    void errorNamesMissingServiceFile() throws Exception {
        URL[] places = Arrays.stream(places())
                .filter(place -> !place.getPath().contains("libmpi"))
                // the manifest of the command's jar refers to the other jars
                .filter(place -> !place.getPath().contains("/tools/cli/"))
                .toArray(URL[]::new);
        try (OneJar jar = new OneJar(places)) {
            assertThat(failure(jar.loadClass("org.tutti.mpi.engine.Engines"), "libmpi"))
                    .contains("engine 'libmpi' was not found; present: none; put tutti-libmpi.jar on the class path")
                    .contains("include org.tutti.libmpi.LibmpiProvider and merge the service files")
                    .contains("ServicesResourceTransformer");
        }
    }

    private static String failure(Class<?> engines, String name) throws ReflectiveOperationException {
        try {
            engines.getMethod("named", String.class).invoke(null, name);
            return "";
        } catch (InvocationTargetException e) {
            return String.valueOf(e.getCause().getMessage());
        }
    }
}
