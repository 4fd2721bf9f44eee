package org.tutti.train.torch.graph.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.tutti.train.checkpoint.CheckpointException;

/// Describes files of other formats, which are recognized by the first bytes or by the entries.
final class ForeignFile {
    private static final int HEAD_BYTES = 64;
    private static final String EXPORT = ": export the model with tutti_export.py";

    private ForeignFile() {}

    /// Returns the exception for a file other than a zip file.
    static CheckpointException notZip(MemorySegment all, String file) {
        byte[] head = all.asSlice(0, Math.min(HEAD_BYTES, all.byteSize())).toArray(ValueLayout.JAVA_BYTE);
        return new CheckpointException(file + format(head));
    }

    private static String format(byte[] head) {
        if (head.length == 0) return " is empty; copy or download it again";
        if (starts(head, 0, "version https://git-lfs"))
            return " is a pointer of Git LFS, not the exported program: fetch the file with git lfs pull";
        if (head.length > 1 && (head[0] & 0xff) == 0x80)
            return " is a pickle of torch.save, which has tensors but no graph" + EXPORT;
        if (starts(head, 4, "ET")) return " is a program of ExecuTorch (.pte), which cannot be trained" + EXPORT;
        if (starts(head, 8, "{")) {
            return " is a safetensors file, which has tensors but no graph" + EXPORT
                    + ", then load the tensors into it";
        }
        if (starts(head, 0, "GGUF")) return " is a GGUF file, which has tensors but no graph" + EXPORT;
        if (starts(head, 1, "HDF")) return " is an HDF5 file, not an exported program" + EXPORT;
        if (isText(head)) return " is a text, not an exported program; it starts with \"" + start(head) + "\"";
        return " is not an exported program" + EXPORT;
    }

    private static boolean starts(byte[] head, int at, String text) {
        byte[] wanted = text.getBytes(UTF_8);
        return head.length >= at + wanted.length
                && Arrays.equals(head, at, at + wanted.length, wanted, 0, wanted.length);
    }

    private static boolean isText(byte[] head) {
        for (byte b : head) if (b >= 0 && b < ' ' && b != '\n' && b != '\r' && b != '\t') return false;
        return true;
    }

    private static String start(byte[] head) {
        return GraphJson.shown(
                new String(head, UTF_8).lines().findFirst().orElse("").strip());
    }

    /// Returns the exception for an archive of PyTorch without an exported program.
    static CheckpointException notProgram(TorchArchive archive) {
        String file = archive.where();
        if (archive.hasFolder("models/"))
            return new CheckpointException(file + " has several models, and none of them is called model");
        if (archive.hasFolder("data/aotinductor/")) {
            return new CheckpointException(file
                    + " is a compiled model of AOTInductor, which cannot be trained: save it with torch.export.save");
        }
        if (archive.hasFolder("code/"))
            return new CheckpointException(file + " is a TorchScript model, not an exported program" + EXPORT);
        if (archive.has("data.pkl"))
            return new CheckpointException(file + " is a file of torch.save, which has tensors but no graph" + EXPORT);
        return new CheckpointException(file + " is a zip file without an exported program" + EXPORT);
    }
}
