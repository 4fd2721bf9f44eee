package org.tutti.train.torch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.lang.foreign.Arena;
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
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.torch.Tensors.Named;

/// A module, its optimizer and libtorch's random numbers as tensors of a checkpoint, so that training goes
/// on exactly where it was.
///
/// Parameters and buffers have their own names, and are read by Python, too. The optimizer's memory (of
/// momentum, of moments) is libtorch's own archive in a tensor of bytes, which only libtorch reads, and so
/// is the state of its generator, on which dropout and shuffles depend: one for each rank.
public final class TorchState {
    private static final String OPTIMIZER = "optimizer.archive", GENERATOR = "generator.";
    private static final int PART = 1 << 20;

    private TorchState() {}

    /// Shows the module's tensors where they are: to be written before the next step. For a process that
    /// trains alone, or where nothing is random.
    ///
    /// @param optimizer null for a model alone, to publish for instance
    /// @param metadata texts to find again, an epoch for instance
    public static Safetensors of(Module module, @Nullable Optimizer optimizer, Map<String, String> metadata) {
        return made(module, archives(optimizer), metadata, optimizer == null ? List.of() : List.of(generator()));
    }

    /// As [#of(Module, Optimizer, Map)], with the random numbers of all ranks. All ranks call it; one saves
    /// it.
    public static Safetensors of(Module module, Optimizer optimizer, Map<String, String> metadata, ProcessGroup group) {
        return made(module, archives(optimizer), metadata, generators(group));
    }

    /// The same of an optimizer whose memory is divided: on rank 0, which saves it, all of it. All ranks
    /// call it.
    public static Safetensors of(
            Module module, ShardedOptimizer optimizer, Map<String, String> metadata, ProcessGroup group) {
        List<Tensor> archives = new ArrayList<>();
        Optimizer own = optimizer.own();
        MemorySegment mine = own == null ? MemorySegment.NULL : archive(own);
        long[] lengths = group.allgather(mine.byteSize());
        for (int r = 0; r < lengths.length; r++) {
            boolean isMine = r == group.rank();
            MemorySegment theirs = isMine ? mine : Arena.ofAuto().allocate(lengths[r], Long.BYTES);
            if (lengths[r] > 0) group.broadcast(theirs, r);
            if (isMine || group.rank() == 0) archives.add(bytes(OPTIMIZER + "." + r, theirs));
        }
        return made(module, archives, metadata, generators(group));
    }

    private static List<byte[]> generators(ProcessGroup group) {
        return group.allgather(new String(generator(), ISO_8859_1)).stream()
                .map(text -> text.getBytes(ISO_8859_1))
                .toList();
    }

    private static List<Tensor> archives(@Nullable Optimizer optimizer) {
        return optimizer == null ? List.of() : List.of(bytes(OPTIMIZER, archive(optimizer)));
    }

    private static Safetensors made(
            Module module, List<Tensor> archives, Map<String, String> metadata, List<byte[]> generators) {
        List<Tensor> all = new ArrayList<>(tensors(module));
        all.addAll(archives);
        for (int r = 0; r < generators.size(); r++) {
            all.add(bytes(GENERATOR + r, MemorySegment.ofArray(generators.get(r))));
        }
        return new Safetensors(all, metadata);
    }

    private static Tensor bytes(String name, MemorySegment data) {
        return new Tensor(new TensorSpec(name, DType.U8, List.of(data.byteSize())), data);
    }

    /// The state of the generator that operations use which are given none.
    private static byte[] generator() {
        try (PointerScope scope = new PointerScope()) {
            return Tensors.memory(torch.getDefaultCPUGenerator().get_state()).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static void setGenerator(MemorySegment state) {
        try (PointerScope scope = new PointerScope()) {
            org.bytedeco.pytorch.Tensor made =
                    torch.zeros(new long[] {state.byteSize()}, new TensorOptions(torch.ScalarType.Byte));
            Tensors.memory(made).copyFrom(state);
            torch.getDefaultCPUGenerator().set_state(made);
        }
    }

    /// Brings them back to what they were; the random numbers, of what rank 0 has saved, with the optimizer.
    ///
    /// @param optimizer null when it is not wanted
    /// @throws TrainingException when a tensor is missing, left over or of another shape; then nothing has
    ///     changed
    public static void restore(Safetensors state, Module module, @Nullable Optimizer optimizer) {
        restore(state, module, optimizer, OPTIMIZER, 0);
    }

    /// As [#restore(Safetensors, Module, Optimizer)], with the random numbers of this rank. A rank that was
    /// not there when the state was saved goes on with those that it has. Local.
    public static void restore(Safetensors state, Module module, Optimizer optimizer, ProcessGroup group) {
        restore(state, module, optimizer, OPTIMIZER, group.rank());
    }

    /// The same of an optimizer whose memory is divided, by as many ranks as have saved it.
    ///
    /// @throws TrainingException also when these were more, or less
    public static void restore(Safetensors state, Module module, ShardedOptimizer optimizer, ProcessGroup group) {
        long parts = state.tensors().stream().filter(t -> isPart(t.name())).count();
        if (parts != group.size()) {
            throw new TrainingException("the checkpoint has an optimizer's memory in " + parts
                    + " parts, and there are " + group.size() + " ranks; restore it on as many, or the module alone");
        }
        restore(state, module, optimizer.own(), OPTIMIZER + "." + group.rank(), group.rank());
    }

    private static boolean isPart(String name) {
        return name.matches(OPTIMIZER + "\\.\\d+");
    }

    private static void restore(Safetensors state, Module module, @Nullable Optimizer optimizer, String of, int rank) {
        List<Tensor> own = tensors(module);
        List<String> wrong = new ArrayList<>();
        Tensor archive = null, generator = null;
        for (Tensor saved : state.tensors()) {
            if (saved.name().equals(of)) archive = saved;
            else if (saved.name().equals(OPTIMIZER) || isPart(saved.name())) continue;
            else if (saved.name().equals(GENERATOR + rank)) generator = saved;
            else if (saved.name().matches(GENERATOR + "\\d+")) continue;
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
        if (optimizer != null && generator != null) setGenerator(generator.data());
    }

    private static List<Tensor> tensors(Module module) {
        try (PointerScope scope = new PointerScope()) {
            return Tensors.ofModule(module).stream().map(Named::shared).toList();
        }
    }

    /// In the parts in which libtorch writes it; an array would hold 2 GiB.
    private static MemorySegment archive(Optimizer optimizer) {
        List<byte[]> parts = new ArrayList<>();
        try (PointerScope scope = new PointerScope()) {
            OutputArchive archive = new OutputArchive();
            optimizer.save(archive);
            archive.save_to(new ArchiveWriter() {
                @Override
                public long call(Pointer from, long count) {
                    for (long at = 0; at < count; at += PART) {
                        byte[] part = new byte[(int) Math.min(PART, count - at)];
                        new BytePointer(from).position(at).get(part);
                        parts.add(part);
                    }
                    return count;
                }
            });
        }
        MemorySegment all =
                Arena.ofAuto().allocate(parts.stream().mapToLong(p -> p.length).sum(), Long.BYTES);
        long at = 0;
        for (byte[] part : parts) {
            MemorySegment.copy(part, 0, all, ValueLayout.JAVA_BYTE, at, part.length);
            at += part.length;
        }
        return all;
    }

    private static void load(Optimizer optimizer, Tensor archive) {
        try (PointerScope scope = new PointerScope();
                Arena arena = Arena.ofConfined()) {
            MemorySegment data = archive.data();
            MemorySegment there =
                    data.isNative() ? data : arena.allocate(data.byteSize()).copyFrom(data);
            InputArchive input = new InputArchive();
            input.load_from(new BytePointer(Tensors.pointer(there)), there.byteSize());
            optimizer.load(input);
        } catch (RuntimeException e) {
            throw new TrainingException("the optimizer cannot go on from the checkpoint: " + Gloo.firstLine(e), e);
        }
    }
}
