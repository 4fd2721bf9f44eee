package org.tutti.train.djl;

import ai.djl.engine.Engine;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.util.Platform;
import ai.djl.util.Utils;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;

/// DJL's PyTorch engine, as ranks start it: it downloads nothing, and the ranks of a machine share its cores.
public final class DjlEngine {
    private static final String NAME = "PyTorch";
    private static final String OFFLINE = "ai.djl.offline", THREADS = "ai.djl.pytorch.num_threads";

    private DjlEngine() {}

    /// Starts the engine on all ranks, before anything else of DJL is used. All ranks call it; again is
    /// harmless, and [DdpTrainer] does so for a program that has not.
    ///
    /// `ai.djl.offline` becomes true unless the program or `DJL_OFFLINE` has said something. Each rank
    /// computes with its part of the cores it may use, unless `ai.djl.pytorch.num_threads` or
    /// `OMP_NUM_THREADS` is set.
    ///
    /// @throws TrainingException when the engine's native library is not there; says what to add
    public static void start(ProcessGroup group) {
        if (System.getProperty(OFFLINE) == null && Utils.getenv("DJL_OFFLINE") == null) {
            System.setProperty(OFFLINE, "true");
        }
        boolean mayChoose = System.getProperty(THREADS) == null && Utils.getenv("OMP_NUM_THREADS") == null;
        int threads = Cores.each(group);
        // The first start on a machine unpacks the library, and two that do so at once delete each other's.
        if (group.sum(isUnpacked() ? 0 : 1) > 0) {
            if (group.rank() == 0) load();
            group.barrier();
            if (group.localRank() == 0) load();
            group.barrier();
        }
        load();
        if (mayChoose) JniUtils.setNumThreads(threads);
    }

    /// Whether the library lies where DJL unpacks it, by the names that DJL's `LibUtils` gives.
    private static boolean isUnpacked() {
        try {
            Platform platform = Platform.detectPlatform("pytorch");
            String directory = platform.getVersion() + '-' + platform.getFlavor() + '-' + platform.getClassifier();
            Path library = Utils.getEngineCacheDir("pytorch").resolve(directory, System.mapLibraryName("torch"));
            return Files.exists(library);
        } catch (RuntimeException | AssertionError e) {
            return false; // load() will say it better
        }
    }

    private static void load() {
        try {
            if (Engine.getEngine(NAME) == null) throw new IllegalStateException("there is none");
        } catch (RuntimeException | LinkageError | AssertionError e) {
            String machine = classifier(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
            TrainingException why = new TrainingException(
                    "DJL's PyTorch engine does not start; DJL says: " + e.getMessage() + ". " + missing(machine));
            why.initCause(e);
            throw why;
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
