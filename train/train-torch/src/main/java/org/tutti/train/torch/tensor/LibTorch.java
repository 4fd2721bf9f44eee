package org.tutti.train.torch.tensor;

import java.io.IOException;
import java.net.URL;
import java.util.OptionalInt;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.openblas.presets.openblas_nolapack;
import org.bytedeco.pytorch.global.torch;
import org.tutti.train.TrainingException;
import org.tutti.train.model.TensorLibrary;

/// Loads libtorch and sets the number of threads; reports a missing dependency.
public final class LibTorch implements TensorLibrary {
    /// Suffix of the classifier of jars with CUDA.
    private static final String GPU = "-gpu";

    /// Libraries that are not part of the jars with CUDA.
    private static final String NEEDED = "; the jars with CUDA need CUDA 13.1 with cuBLAS, cuFFT, cuRAND, cuSOLVER,"
            + " cuSPARSE, cuDNN 9 and NCCL on the system loader's path (LD_LIBRARY_PATH); the jars without CUDA"
            + " (tutti run --with torch) need no further library";

    /// Called by the service loader.
    public LibTorch() {}

    @Override
    public String name() {
        return "libtorch";
    }

    @Override
    public void prepare(OptionalInt threads) {
        load();
        if (threads.isEmpty()) return;
        torch.set_num_threads(threads.getAsInt());
        // matrix products use separate threads, which spin; if each rank used one such thread for each core, a
        // step would take four times as long on a busy machine
        openblas_nolapack.blas_set_num_threads(threads.getAsInt());
    }

    /// Loads libtorch.
    ///
    /// @throws TrainingException if this platform's jars are missing, in which case the message contains the
    ///     lines for a POM, or if the library cannot be loaded
    public static void load() {
        String platform = Loader.getPlatform();
        ClassLoader loader = LibTorch.class.getClassLoader();
        checkThere(platform, loader);
        try {
            unpack(platform, loader);
            Loader.load(torch.class);
        } catch (IOException | UnsatisfiedLinkError e) {
            boolean isForGpus = loader.getResource("org/bytedeco/pytorch/" + platform + GPU + "/") != null;
            throw new TrainingException(
                    "libtorch is present but could not be loaded: " + e.getMessage() + (isForGpus ? NEEDED : ""), e);
        }
    }

    /// Unpacks all files before the first is loaded. By default the loader unpacks and loads one library after
    /// the other; libtorch is then loaded before the dependencies exist, and if CUDA is installed, the first
    /// start crashes.
    private static void unpack(String platform, ClassLoader loader) throws IOException {
        for (String folder : new String[] {platform, platform + GPU}) {
            URL files = loader.getResource("org/bytedeco/pytorch/" + folder + "/");
            if (files != null) Loader.cacheResource(files);
        }
    }

    /// Checks that the jars are present. Called before libtorch's loader, which only reports that a library is
    /// not in `java.library.path`.
    public static void checkThere(String platform, ClassLoader loader) {
        StringBuilder lines = new StringBuilder();
        for (Artifact a : Artifact.values()) if (!a.isThere(platform, loader)) lines.append(a.dependency(platform));
        if (lines.isEmpty()) return;
        throw new TrainingException("libtorch's files for " + platform + " are not on the class path; add to your POM"
                + " (for a GPU pytorch's classifier is linux-x86_64-gpu)\n" + lines);
    }

    /// The jars that have the platform as classifier.
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

        /// Returns the dependency, with the version of the classes that are present.
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
