package org.tutti.train.checkpoint;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Model files in unsupported formats, recognised by the first bytes.
enum ForeignFormat {
    ZIP("a zip archive, as torch.save writes it", Python.CONVERT, 'P', 'K', 3, 4),
    PICKLE("a pickle of Python, as torch.save of PyTorch before 1.6 writes it", Python.CONVERT, 0x80, 2),
    PICKLE_4("a pickle of Python", Python.CONVERT, 0x80, 4),
    GGUF("a GGUF file of llama.cpp", "get the model as safetensors", 'G', 'G', 'U', 'F'),
    HDF5("an HDF5 file, as Keras writes it", "get the model as safetensors", 0x89, 'H', 'D', 'F');

    /// In a nested class, because the constants of an enum must be declared first.
    private static final class Python {
        static final String CONVERT = "it may run code when it is read, and is not read here; convert it in Python:"
                + " import torch; from safetensors.torch import save_file;"
                + " save_file(torch.load(\"FILE\", weights_only=True), \"model.safetensors\")";
    }

    private final String format;
    private final String remedy;
    private final int[] begin;

    ForeignFormat(String format, String remedy, int... begin) {
        this.format = format;
        this.remedy = remedy;
        this.begin = begin;
    }

    /// Refuses a file in one of these formats.
    ///
    /// @throws CheckpointException if the bytes in `all` begin like one of these formats
    static void refuse(MemorySegment all, String file) throws CheckpointException {
        for (ForeignFormat format : values()) {
            if (!format.matches(all)) continue;
            throw new CheckpointException(
                    file + " is " + format.format + ", not safetensors: " + format.remedy.replace("FILE", file));
        }
    }

    private boolean matches(MemorySegment all) {
        if (all.byteSize() < begin.length) return false;
        for (int i = 0; i < begin.length; i++) {
            if ((all.get(ValueLayout.JAVA_BYTE, i) & 0xff) != begin[i]) return false;
        }
        return true;
    }
}
