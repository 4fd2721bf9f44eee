package org.tutti.train.torch;

import java.io.IOException;
import java.net.URL;
import java.util.OptionalInt;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.openblas.presets.openblas_nolapack;
import org.bytedeco.pytorch.global.torch;
import org.tutti.train.TrainingException;
import org.tutti.train.model.TensorLibrary;

/// libtorch itself: there, or what to add; and how many threads it uses.
public final class LibTorch implements TensorLibrary {
    /// What the classifier of jars with CUDA ends in.
    private static final String GPU = "-gpu";

    /// What the jars with CUDA do not bring.
    private static final String NEEDED = "; its jars with CUDA need CUDA 13.1 with cuBLAS, cuFFT, cuRAND, cuSOLVER,"
            + " cuSPARSE, cuDNN 9 and NCCL where the system's loader looks (LD_LIBRARY_PATH); the jars without CUDA"
            + " (tutti run --with torch) need nothing";

    /// By the service loader.
    public LibTorch() {}

    @Override
    public void prepare(OptionalInt threads) {
        load();
        if (threads.isEmpty()) return;
        torch.set_num_threads(threads.getAsInt());
        // matrix products have threads of their own, which spin: with one for each core in each rank, four
        // times the time of a step on a busy machine
        openblas_nolapack.blas_set_num_threads(threads.getAsInt());
    }

    /// Loads it.
    ///
    /// @throws TrainingException when this platform's jars are not there, with the lines for a POM
    static void load() {
        String platform = Loader.getPlatform();
        ClassLoader loader = LibTorch.class.getClassLoader();
        checkThere(platform, loader);
        try {
            unpack(platform, loader);
            Loader.load(torch.class);
        } catch (IOException | UnsatisfiedLinkError e) {
            boolean isForGpus = loader.getResource("org/bytedeco/pytorch/" + platform + GPU + "/") != null;
            throw new TrainingException(
                    "libtorch is there and could not be loaded: " + e.getMessage() + (isForGpus ? NEEDED : ""), e);
        }
    }

    /// All files before the first is loaded. Left to itself, the loader unpacks and loads one after the
    /// other; libtorch is loaded before what it needs is there, and where CUDA is installed, that first
    /// start crashes.
    private static void unpack(String platform, ClassLoader loader) throws IOException {
        for (String folder : new String[] {platform, platform + GPU}) {
            URL files = loader.getResource("org/bytedeco/pytorch/" + folder + "/");
            if (files != null) Loader.cacheResource(files);
        }
    }

    /// Before libtorch's loader, which says only that a library is not in `java.library.path`.
    static void checkThere(String platform, ClassLoader loader) {
        StringBuilder lines = new StringBuilder();
        for (Artifact a : Artifact.values()) if (!a.isThere(platform, loader)) lines.append(a.dependency(platform));
        if (lines.isEmpty()) return;
        throw new TrainingException(
                "libtorch's own files for " + platform + " are not on the class path; add to your POM"
                        + " (for a GPU pytorch's classifier is linux-x86_64-gpu)\n" + lines);
    }

    /// The jars whose classifier is a platform.
    private enum Artifact {
        PYTORCH("pytorch", "jnitorch"),
        OPENBLAS("openblas", "jniopenblas_nolapack"),
        JAVACPP("javacpp", "jnijavacpp");

        private final String id;
        private final String library;

        Artifact(String id, String library) {
            this.id = id;
            this.library = library;
        }

        boolean isThere(String platform, ClassLoader loader) {
            String file = "/" + System.mapLibraryName(library);
            String folder = "org/bytedeco/" + id + "/" + platform;
            return loader.getResource(folder + file) != null || loader.getResource(folder + GPU + file) != null;
        }

        /// Of the version whose classes are there.
        String dependency(String platform) {
            String version;
            try {
                version = Loader.getVersion("org.bytedeco", id);
            } catch (IOException e) {
                version = "the same as of " + id + "'s classes";
            }
            return "    <dependency>\n      <groupId>org.bytedeco</groupId>\n      <artifactId>" + id
                    + "</artifactId>\n      <version>" + version + "</version>\n      <classifier>" + platform
                    + "</classifier>\n    </dependency>\n";
        }
    }
}
