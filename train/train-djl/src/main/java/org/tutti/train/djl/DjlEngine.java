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

/// DJL's PyTorch engine, as ranks start it: it downloads nothing, and the ranks of a machine share its cores.
///
/// Started with the group of ranks, which a program makes before its first use of DJL: DJL decides at that
/// what it downloads.
public final class DjlEngine implements TensorLibrary {
    private static final String NAME = "PyTorch";
    private static final String OFFLINE = "ai.djl.offline", THREADS = "ai.djl.pytorch.num_threads";

    /// By the service loader.
    public DjlEngine() {}

    /// Starts the engine. `ai.djl.offline` becomes true unless the program or `DJL_OFFLINE` has said
    /// something; `ai.djl.pytorch.num_threads` is the user's word on threads, too.
    @Override
    public void prepare(OptionalInt threads) {
        if (System.getProperty(OFFLINE) == null && Utils.getenv("DJL_OFFLINE") == null) {
            System.setProperty(OFFLINE, "true");
        }
        boolean mayChoose = System.getProperty(THREADS) == null;
        start();
        if (mayChoose && threads.isPresent()) JniUtils.setNumThreads(threads.getAsInt());
    }

    /// One process after the other where the library is not unpacked yet: two that unpack it at once
    /// delete each other's.
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
                            + "; DJL_CACHE_DIR names another directory",
                    e);
        }
    }

    /// Whether the library lies where DJL unpacks it, by the names that DJL's `LibUtils` gives.
    private static boolean isUnpacked(Path cache) {
        try {
            Platform platform = Platform.detectPlatform("pytorch");
            String directory = platform.getVersion() + '-' + platform.getFlavor() + '-' + platform.getClassifier();
            return Files.exists(cache.resolve(directory, System.mapLibraryName("torch")));
        } catch (RuntimeException | AssertionError e) {
            return false; // load() will say it better
        }
    }

    private static void load() {
        try {
            if (Engine.getEngine(NAME) == null) throw new IllegalStateException("there is none");
        } catch (RuntimeException | LinkageError | AssertionError e) {
            String machine = classifier(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
            throw new TrainingException(
                    "DJL's PyTorch engine does not start; DJL says: " + e.getMessage() + ". " + missing(machine), e);
        }
    }

    /// As DJL's artifacts call a machine.
    static String classifier(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT);
        String arch = osArch.equals("amd64") ? "x86_64" : osArch;
        return (os.startsWith("win") ? "win" : os.startsWith("mac") ? "osx" : "linux") + "-" + arch;
    }

    /// What to add, for the machine that it says.
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
