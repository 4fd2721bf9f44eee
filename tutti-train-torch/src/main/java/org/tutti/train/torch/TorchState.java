package org.tutti.train.torch;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.ArchiveWriter;
import org.bytedeco.pytorch.InputArchive;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.OutputArchive;
import org.jspecify.annotations.Nullable;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.torch.Tensors.Named;

/// A module and its optimizer as tensors of a checkpoint, so that training goes on exactly where it was.
///
/// Parameters and buffers have their own names, and are read by Python, too. The optimizer's memory (of
/// momentum, of moments) is libtorch's own archive in a tensor of bytes, which only libtorch reads.
public final class TorchState {
    private static final String OPTIMIZER = "optimizer.archive";

    private TorchState() {}

    /// Shows the module's tensors where they are: to be written before the next step.
    ///
    /// @param optimizer null for a model alone, to publish for instance
    /// @param metadata texts to find again, an epoch for instance
    public static Safetensors of(Module module, @Nullable Optimizer optimizer, Map<String, String> metadata) {
        List<Tensor> all = new ArrayList<>(tensors(module));
        if (optimizer != null) {
            byte[] archive = archive(optimizer);
            all.add(new Tensor(
                    new TensorSpec(OPTIMIZER, DType.U8, List.of((long) archive.length)),
                    MemorySegment.ofArray(archive)));
        }
        return new Safetensors(all, metadata);
    }

    /// Brings both back to what they were.
    ///
    /// @param optimizer null when it is not wanted
    /// @throws TrainingException when a tensor is missing, left over or of another shape; then nothing has
    ///     changed
    public static void restore(Safetensors state, Module module, @Nullable Optimizer optimizer) {
        List<Tensor> own = tensors(module);
        List<String> wrong = new ArrayList<>();
        Tensor archive = null;
        for (Tensor saved : state.tensors()) {
            if (saved.name().equals(OPTIMIZER)) archive = saved;
            else if (own.stream().noneMatch(t -> t.name().equals(saved.name())))
                wrong.add("the module has no " + saved.spec());
        }
        List<Tensor> from = new ArrayList<>();
        for (Tensor t : own) {
            Tensor saved = state.tensors().stream()
                    .filter(s -> s.name().equals(t.name()))
                    .findFirst()
                    .orElse(null);
            if (saved == null) wrong.add("the checkpoint has no " + t.spec());
            else if (!saved.spec().equals(t.spec())) wrong.add(t.spec() + " is " + saved.spec() + " in the checkpoint");
            else from.add(saved);
        }
        if (optimizer != null && archive == null) wrong.add("the checkpoint has no optimizer");
        if (!wrong.isEmpty())
            throw new TrainingException("the checkpoint is of another module: " + String.join("; ", wrong));
        if (optimizer != null && archive != null) load(optimizer, archive);
        for (int i = 0; i < own.size(); i++)
            own.get(i).data().copyFrom(from.get(i).data());
    }

    private static List<Tensor> tensors(Module module) {
        try (PointerScope scope = new PointerScope()) {
            return Tensors.ofModule(module).stream().map(Named::shared).toList();
        }
    }

    private static byte[] archive(Optimizer optimizer) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PointerScope scope = new PointerScope()) {
            OutputArchive archive = new OutputArchive();
            optimizer.save(archive);
            archive.save_to(new ArchiveWriter() {
                @Override
                public long call(Pointer from, long count) {
                    byte[] part = new byte[(int) count];
                    new BytePointer(from).get(part);
                    bytes.writeBytes(part);
                    return count;
                }
            });
        }
        return bytes.toByteArray();
    }

    private static void load(Optimizer optimizer, Tensor archive) {
        try (PointerScope scope = new PointerScope()) {
            byte[] bytes = archive.data().toArray(ValueLayout.JAVA_BYTE);
            InputArchive input = new InputArchive();
            input.load_from(new BytePointer(bytes), bytes.length);
            optimizer.load(input);
        } catch (RuntimeException e) {
            throw new TrainingException("the optimizer cannot go on from the checkpoint: " + Gloo.firstLine(e));
        }
    }
}
