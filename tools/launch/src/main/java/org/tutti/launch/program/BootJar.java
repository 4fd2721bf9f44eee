package org.tutti.launch.program;

import java.io.File;
import java.io.IOException;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// An executable jar or war of Spring Boot. It contains the jars of libraries, which only Spring Boot's loader
/// can open. Spring Boot's `PropertiesLauncher` starts any main class with this loader.
///
/// @param startClass the main class of the application
/// @param launcher the binary name of `PropertiesLauncher`, which depends on the version of Spring Boot
record BootJar(String startClass, String launcher) {
    private static final String CLASSES = "Spring-Boot-Classes", START = "Start-Class";
    private static final String LAUNCHER = "PropertiesLauncher";

    /// Returns null for any other jar.
    ///
    /// @throws UsageException if the jar cannot start a main class other than the application's, or does not
    /// contain the application's main class
    static @Nullable BootJar of(JarFile jar) throws IOException {
        Manifest manifest = jar.getManifest();
        if (manifest == null) return null;
        Attributes attributes = manifest.getMainAttributes();
        String classes = attributes.getValue(CLASSES), start = attributes.getValue(START);
        String main = attributes.getValue(Attributes.Name.MAIN_CLASS);
        if (classes == null || start == null || main == null) return null;
        String launcher = main.strip().substring(0, main.strip().lastIndexOf('.') + 1) + LAUNCHER;
        if (jar.getEntry(launcher.replace('.', '/') + ".class") == null) {
            throw new UsageException(jar.getName() + " has no " + launcher
                    + ", with which Spring Boot starts other classes of the jar; extract the jar"
                    + " (java -Djarmode=tools -jar " + jar.getName() + " extract), and run the extracted one");
        }
        if (jar.getEntry(classes + start.strip().replace('.', '/') + ".class") == null) {
            throw new UsageException(
                    "the manifest of " + jar.getName() + " has Start-Class " + start + ", but no such class was found");
        }
        return new BootJar(start.strip(), launcher);
    }

    /// Returns the location of the classes.
    ///
    /// @param classPath the jar, and other entries
    ProgramClasses classes(String classPath) {
        return new ProgramClasses(classPath, launcher, false);
    }

    /// Returns null if the class path is not a single Boot jar.
    static @Nullable BootJar on(String classPath) {
        File file = new File(classPath);
        if (classPath.isEmpty() || !file.isFile()) return null;
        try (JarFile jar = new JarFile(file)) {
            return of(jar);
        } catch (IOException e) {
            return null; // not a jar
        }
    }
}
