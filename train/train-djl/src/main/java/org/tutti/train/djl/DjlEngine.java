package org.tutti.train.djl;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import ai.djl.engine.Engine;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.util.Platform;
import ai.djl.util.Utils;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalInt;
import org.tutti.train.TrainingException;
import org.tutti.train.model.TensorLibrary;

/// Starts DJL's PyTorch engine in each rank. By default, the engine downloads no files, and the ranks of a
/// machine share the cores.
///
/// The engine starts when the group of ranks is created. A program must create the group before the first use
/// of DJL, because DJL decides about downloads at that point.
public final class DjlEngine implements TensorLibrary {
    private static final String NAME = "PyTorch";
    private static final String OFFLINE = "ai.djl.offline", THREADS = "ai.djl.pytorch.num_threads";

    /// Called by the service loader.
    public DjlEngine() {}

    @Override
    public String name() {
        return "DJL's PyTorch engine";
    }

    /// Starts the engine. Sets `ai.djl.offline` to true unless the program or `DJL_OFFLINE` has set it; a
    /// user's `ai.djl.pytorch.num_threads` overrides the number of threads.
    @Override
    public void prepare(OptionalInt threads) {
        if (System.getProperty(OFFLINE) == null && Utils.getenv("DJL_OFFLINE") == null) {
            System.setProperty(OFFLINE, "true");
        }
        boolean mayChoose = System.getProperty(THREADS) == null;
        start();
        if (mayChoose && threads.isPresent()) JniUtils.setNumThreads(threads.getAsInt());
    }

    /// Starts the engine. If the library is not yet unpacked, the processes unpack it one after the other,
    /// because processes that unpack at the same time delete each other's files.
    private static synchronized void start() {
        Path directory = Utils.getEngineCacheDir("pytorch");
        if (isUnpacked(directory)) {
            load();
            return;
        }
        try {
            Files.createDirectories(directory);
            try (FileChannel file = FileChannel.open(directory.resolve("tutti.lock"), CREATE, WRITE);
                    FileLock lock = file.lock()) {
                if (lock.isValid()) load();
            }
        } catch (IOException e) {
            throw new TrainingException(
                    "DJL's PyTorch engine cannot be unpacked in " + directory + ": " + e
                            + "; set DJL_CACHE_DIR to a different directory",
                    e);
        }
    }

    /// Returns whether DJL has unpacked the library. Checks the file that DJL's `LibUtils` creates.
    private static boolean isUnpacked(Path cache) {
        try {
            Platform platform = Platform.detectPlatform("pytorch");
            String directory = platform.getVersion() + '-' + platform.getFlavor() + '-' + platform.getClassifier();
            return Files.exists(cache.resolve(directory, System.mapLibraryName("torch")));
        } catch (RuntimeException | AssertionError e) {
            return false; // load() reports it in more detail
        }
    }

    private static void load() {
        try {
            if (Engine.getEngine(NAME) == null) throw new IllegalStateException("DJL has no engine " + NAME);
        } catch (RuntimeException | LinkageError | AssertionError e) {
            String machine = classifier(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
            throw new TrainingException(
                    "DJL's PyTorch engine does not start: " + e.getMessage() + ". " + missing(machine), e);
        }
    }

    /// Returns the platform's name in DJL's artifacts.
    static String classifier(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT);
        String arch = osArch.equals("amd64") ? "x86_64" : osArch;
        return (os.startsWith("win") ? "win" : os.startsWith("mac") ? "osx" : "linux") + "-" + arch;
    }

    /// Returns the part of the error text that lists the dependencies to add for a platform.
    static String missing(String classifier) {
        return """
                It needs these on the class path, in just these versions (nothing is downloaded while ranks run):
                  <dependency>
                    <groupId>ai.djl.pytorch</groupId>
                    <artifactId>pytorch-jni</artifactId>
                    <version>2.7.1-0.35.1</version>
                    <scope>runtime</scope>
                  </dependency>
                  <dependency>
                    <groupId>ai.djl.pytorch</groupId>
                    <artifactId>pytorch-native-cpu</artifactId>
                    <version>2.7.1</version>
                    <classifier>%s</classifier>
                    <scope>runtime</scope>
                  </dependency>""".formatted(classifier);
    }
}
