package org.tutti.train.torch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.ArchiveWriter;
import org.bytedeco.pytorch.InputArchive;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.OptimizerParamGroupVector;
import org.bytedeco.pytorch.OutputArchive;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;
import org.tutti.train.average.AveragedModel;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.torch.tensor.Tensors;
import org.tutti.train.torch.tensor.Tensors.Named;

/// A module, the optimizer and libtorch's random generator as tensors of a checkpoint, so that training
/// continues exactly.
///
/// Parameters and buffers have the module's names. The optimizer's state of each parameter has a name, too,
/// such as `optimizer.fc1.weight.exp_avg`, so that Python can read all of these tensors. The options are
/// metadata entries with keys that begin with `optimizer.`. If an optimizer updates tensors that are not part
/// of the module, or a tensor of the module is on a GPU, libtorch's archive of the optimizer is stored instead,
/// in a tensor of bytes. libtorch itself cannot save LBFGS. The state of the generator, which dropout and
/// shuffles use, is stored as a tensor of bytes for each rank.
public final class TorchState {
    private static final String ARCHIVE = "optimizer.archive", GENERATOR = "generator.";
    private static final int PART = 1 << 20;

    private TorchState() {}

    /// The current tensors of a module that was written in Java or read from TorchScript.
    private record Tensored(Supplier<List<Named>> parameters, Supplier<List<Named>> buffers) {
        static Tensored of(Module module) {
            return new Tensored(() -> Tensors.parametersOf(module), () -> Tensors.buffersOf(module));
        }

        static Tensored of(JitModule module) {
            return new Tensored(() -> Tensors.parametersOf(module), () -> Tensors.buffersOf(module));
        }

        List<Named> named() {
            try (PointerScope scope = new PointerScope()) {
                return parameters.get();
            }
        }

        /// Returns the parameters, then the buffers. A tensor with several names occurs once, with the first
        /// name.
        List<Tensor> tensors() {
            try (PointerScope scope = new PointerScope()) {
                List<Named> all = new ArrayList<>(parameters.get());
                for (Named b : buffers.get()) if (all.stream().noneMatch(b::isSame)) all.add(b);
                return all.stream().map(Named::shared).toList();
            }
        }
    }

    /// Returns the module's and the optimizer's tensors without copies. Write the tensors to the file before
    /// the next step, which changes the contents. Use this method for a process that trains without other
    /// ranks, or for a training without random numbers.
    ///
    /// @param optimizer null to save only a model, for example to publish it
    /// @param metadata strings to be stored, for example an epoch
    public static Safetensors of(Module module, @Nullable Optimizer optimizer, Map<String, String> metadata) {
        return made(Tensored.of(module), optimizer, metadata);
    }

    /// As [#of(Module, Optimizer, Map)], for a module in TorchScript.
    public static Safetensors of(JitModule module, @Nullable Optimizer optimizer, Map<String, String> metadata) {
        return made(Tensored.of(module), optimizer, metadata);
    }

    private static Safetensors made(Tensored module, @Nullable Optimizer optimizer, Map<String, String> metadata) {
        return made(module, optimizer, metadata, optimizer == null ? List.of() : List.of(generator()));
    }

    /// As [#of(Module, Optimizer, Map)], with the random generators of all ranks. All ranks call it; one rank
    /// saves the result.
    public static Safetensors of(Module module, Optimizer optimizer, Map<String, String> metadata, ProcessGroup group) {
        return made(Tensored.of(module), optimizer, metadata, generators(group));
    }

    /// As [#of(Module, Optimizer, Map, ProcessGroup)], for a module in TorchScript.
    public static Safetensors of(
            JitModule module, Optimizer optimizer, Map<String, String> metadata, ProcessGroup group) {
        return made(Tensored.of(module), optimizer, metadata, generators(group));
    }

    /// As [#of(Module, Optimizer, Map, ProcessGroup)], for a sharded optimizer. Returns this rank's part: the
    /// rank's share of the optimizer, the random generator and, on rank 0, the module. All ranks save the parts
    /// with [Checkpoints#save(long, Safetensors, ProcessGroup)].
    public static Safetensors of(
            Module module, ShardedOptimizer optimizer, Map<String, String> metadata, ProcessGroup group) {
        return made(Tensored.of(module), optimizer, metadata, group);
    }

    /// As [#of(Module, ShardedOptimizer, Map, ProcessGroup)], for a module in TorchScript.
    public static Safetensors of(
            JitModule module, ShardedOptimizer optimizer, Map<String, String> metadata, ProcessGroup group) {
        return made(Tensored.of(module), optimizer, metadata, group);
    }

    private static Safetensors made(
            Tensored module, ShardedOptimizer optimizer, Map<String, String> metadata, ProcessGroup group) {
        List<Tensor> all = new ArrayList<>();
        Map<String, String> texts = new HashMap<>();
        if (group.rank() == 0) {
            all.addAll(module.tensors());
            texts.putAll(metadata);
        }
        optimizer.state().ifPresent(state -> {
            all.addAll(state.tensors());
            texts.putAll(state.options());
        });
        all.add(bytes(GENERATOR + group.rank(), MemorySegment.ofArray(generator())));
        if (group.size() > 1) texts.put(Checkpoints.PART, group.rank() + " of " + group.size());
        return new Safetensors(all, texts);
    }

    private static List<byte[]> generators(ProcessGroup group) {
        return group.allgather(new String(generator(), ISO_8859_1)).stream()
                .map(text -> text.getBytes(ISO_8859_1))
                .toList();
    }

    private static Safetensors made(
            Tensored module, @Nullable Optimizer optimizer, Map<String, String> metadata, List<byte[]> generators) {
        List<Tensor> all = new ArrayList<>(module.tensors());
        Map<String, String> texts = new HashMap<>(metadata);
        if (optimizer != null) add(optimizer, module.named(), all, texts);
        for (int r = 0; r < generators.size(); r++) {
            all.add(bytes(GENERATOR + r, MemorySegment.ofArray(generators.get(r))));
        }
        return new Safetensors(all, texts);
    }

    private static void add(Optimizer optimizer, List<Named> named, List<Tensor> tensors, Map<String, String> texts) {
        try {
            // if tensors are on a GPU, the whole archive is stored, because libtorch writes copies of the
            // tensors, and frees these copies after the write
            OptimizerState state = named.stream().allMatch(Named::isOnCpu) ? OptimizerState.of(optimizer, named) : null;
            if (state == null) {
                tensors.add(bytes(ARCHIVE, archive(optimizer)));
                return;
            }
            tensors.addAll(state.tensors());
            texts.putAll(state.options());
        } catch (RuntimeException e) {
            throw new TrainingException("libtorch cannot save the optimizer: " + Gloo.firstLine(e), e);
        }
    }

    private static Tensor bytes(String name, MemorySegment data) {
        return new Tensor(new TensorSpec(name, DType.U8, List.of(data.byteSize())), data);
    }

    /// Returns the state of the default generator.
    private static byte[] generator() {
        try (PointerScope scope = new PointerScope()) {
            return Tensors.memory(torch.getDefaultCPUGenerator().get_state()).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static void setGenerator(Safetensors state, int rank) {
        Tensor saved = find(state, GENERATOR + rank);
        if (saved == null) return;
        try (PointerScope scope = new PointerScope()) {
            org.bytedeco.pytorch.Tensor made =
                    torch.zeros(new long[] {saved.data().byteSize()}, new TensorOptions(torch.ScalarType.Byte));
            Tensors.memory(made).copyFrom(saved.data());
            torch.getDefaultCPUGenerator().set_state(made);
        }
    }

    /// Restores module, optimizer and random generator; every rank's generator gets the state that rank 0 has
    /// saved.
    ///
    /// @param optimizer null to restore only the module
    /// @throws TrainingException if a tensor is missing, unexpected or of a different type or shape, or the
    ///     state is from a different optimizer; then no tensor has changed
    public static void restore(Safetensors state, Module module, @Nullable Optimizer optimizer) {
        restore(state, Tensored.of(module), optimizer, 0);
    }

    /// As [#restore(Safetensors, Module, Optimizer)], for a module in TorchScript.
    ///
    /// @throws TrainingException as [#restore(Safetensors, Module, Optimizer)]
    public static void restore(Safetensors state, JitModule module, @Nullable Optimizer optimizer) {
        restore(state, Tensored.of(module), optimizer, 0);
    }

    /// As [#restore(Safetensors, Module, Optimizer)], with the random generator of this rank. If the state was
    /// saved by fewer ranks, the generators of additional ranks do not change. Local.
    public static void restore(Safetensors state, Module module, Optimizer optimizer, ProcessGroup group) {
        restore(state, Tensored.of(module), optimizer, group.rank());
    }

    /// As [#restore(Safetensors, Module, Optimizer, ProcessGroup)], for a module in TorchScript.
    public static void restore(Safetensors state, JitModule module, Optimizer optimizer, ProcessGroup group) {
        restore(state, Tensored.of(module), optimizer, group.rank());
    }

    private static void restore(Safetensors state, Tensored module, @Nullable Optimizer optimizer, int rank) {
        List<Named> named = module.named();
        List<Named> trained = optimizer == null ? List.of() : changed(optimizer, named);
        Tensor archive = find(state, ARCHIVE);
        check(state, module, optimizer == null || archive != null ? null : trained);
        if (optimizer != null) load(state, archive, optimizer, trained);
        fill(state, module);
        if (optimizer != null) setGenerator(state, rank);
    }

    /// As [#restore(Safetensors, Module, Optimizer, ProcessGroup)], for a sharded optimizer. The state may have
    /// been saved by any number of ranks, or with a single optimizer for all parameters. Local.
    public static void restore(Safetensors state, Module module, ShardedOptimizer optimizer, ProcessGroup group) {
        restore(state, Tensored.of(module), optimizer, group);
    }

    /// As [#restore(Safetensors, Module, ShardedOptimizer, ProcessGroup)], for a module in TorchScript.
    public static void restore(Safetensors state, JitModule module, ShardedOptimizer optimizer, ProcessGroup group) {
        restore(state, Tensored.of(module), optimizer, group);
    }

    private static void restore(Safetensors state, Tensored module, ShardedOptimizer optimizer, ProcessGroup group) {
        long parts = state.tensors().stream().filter(t -> isPart(t.name())).count();
        if (parts > 0 && parts != group.size()) {
            throw new TrainingException("the checkpoint has an optimizer's memory in " + parts
                    + " archives of libtorch, and there are " + group.size()
                    + " ranks; restore it on the same number, or only the module");
        }
        check(state, module, parts > 0 ? null : optimizer.parameters());
        Optimizer own = optimizer.localOptimizer();
        if (own != null) load(state, find(state, ARCHIVE + "." + group.rank()), own, optimizer.parameters());
        fill(state, module);
        setGenerator(state, group.rank());
    }

    /// Returns whether a tensor has the old format of sharded optimizers, in which states have no names.
    private static boolean isPart(String name) {
        return name.matches(ARCHIVE + "\\.\\d+");
    }

    private static @Nullable Tensor find(Safetensors state, String name) {
        return state.tensors().stream()
                .filter(t -> t.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /// Returns the module's tensors that an optimizer updates.
    private static List<Named> changed(Optimizer optimizer, List<Named> named) {
        List<Named> changed = new ArrayList<>();
        try (PointerScope scope = new PointerScope()) {
            OptimizerParamGroupVector groups = optimizer.param_groups();
            for (long g = 0; g < groups.size(); g++) {
                TensorVector parameters = groups.get(g).params();
                for (long i = 0; i < parameters.size(); i++) {
                    long impl = parameters.get(i).unsafeGetTensorImpl().address();
                    named.stream().filter(n -> n.impl() == impl).forEach(changed::add);
                }
            }
        }
        return changed;
    }

    /// @param trained the parameters that the optimizers of all ranks update; null to omit this check
    private static void check(Safetensors state, Tensored module, @Nullable List<Named> trained) {
        Map<String, Tensor> own = new LinkedHashMap<>();
        for (Tensor t : module.tensors()) own.put(t.name(), t);
        List<String> wrong = new ArrayList<>();
        for (Tensor saved : state.tensors()) {
            if (own.containsKey(saved.name()) || OptimizerState.has(state, saved.name())) continue;
            if (saved.name().startsWith(AveragedModel.PREFIX)) continue; // restored by AveragedModel
            if (!saved.name().matches(GENERATOR + "\\d+|" + ARCHIVE + "(\\.\\d+)?"))
                wrong.add("the module has no " + saved.spec());
        }
        for (Tensor t : own.values()) {
            Tensor saved = find(state, t.name());
            if (saved == null) wrong.add("the checkpoint has no " + t.spec());
            else if (!saved.spec().equals(t.spec())) wrong.add(t.spec() + " is " + saved.spec() + " in the checkpoint");
        }
        if (trained != null) wrong.addAll(differences(OptimizerState.parameters(state), trained));
        if (!wrong.isEmpty())
            throw new TrainingException("the checkpoint does not match the module: " + String.join("; ", wrong));
    }

    private static List<String> differences(Set<String> saved, List<Named> trained) {
        if (saved.isEmpty()) return List.of("the checkpoint has no optimizer");
        Set<String> missing = new TreeSet<>(), leftOver = new TreeSet<>(saved);
        for (Named n : trained) if (!leftOver.remove(n.name())) missing.add(n.name());
        List<String> wrong = new ArrayList<>();
        if (!missing.isEmpty()) wrong.add("the checkpoint has no state of an optimizer for " + missing);
        if (!leftOver.isEmpty()) wrong.add("the optimizer does not change " + leftOver);
        return wrong;
    }

    private static void fill(Safetensors state, Tensored module) {
        for (Tensor t : module.tensors())
            t.storage().write(state.tensor(t.name()).data());
    }

    /// Returns the archive of an optimizer. The data is copied from libtorch in parts, because an array is
    /// limited to 2 GiB.
    static MemorySegment archive(Optimizer optimizer) {
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

    /// @param archive libtorch's archive of the optimizer; null if the optimizer's state is stored as named
    ///     tensors
    private static void load(Safetensors state, @Nullable Tensor archive, Optimizer optimizer, List<Named> parameters) {
        try {
            if (archive != null) load(optimizer, archive);
            else OptimizerState.restore(state, optimizer, parameters);
        } catch (RuntimeException e) {
            throw new TrainingException("the optimizer cannot go on from the checkpoint: " + Gloo.firstLine(e), e);
        }
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
        }
    }
}
