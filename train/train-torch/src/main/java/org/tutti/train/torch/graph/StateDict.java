package org.tutti.train.torch.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bytedeco.pytorch.Module;
import org.jspecify.annotations.Nullable;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.torch.TorchModel.IncompatibleKeys;
import org.tutti.train.torch.tensor.Fit;
import org.tutti.train.torch.tensor.Tensors;
import org.tutti.train.torch.tensor.Tensors.Named;

/// The tensors of a module that are part of Python's `state_dict`, with the names in the files of a model.
final class StateDict {
    private static final String COUNTER = "num_batches_tracked";

    /// Names that older versions of Python's libraries wrote, with the present names.
    private static final Map<String, String> RENAMED = Map.of(
            "gamma", "weight",
            "beta", "bias",
            "weight_g", "parametrizations.weight.original0",
            "weight_v", "parametrizations.weight.original1");

    /// A tensor with all names.
    private record Entry(Named tensor, List<String> names) {
        String first() {
            return names.getFirst();
        }
    }

    private final List<Entry> entries = new ArrayList<>();
    private final Map<String, Entry> byName = new HashMap<>();

    /// The names of buffers and constants that are not in the state dict.
    private final Set<String> omitted = new HashSet<>();

    private StateDict() {}

    /// @param prefix prefix of the module's names, which is removed; tensors without it are ignored
    /// @throws TrainingException if no tensor has the prefix
    static StateDict of(Module module, String prefix) {
        StateDict state = new StateDict();
        Map<Long, Entry> byTensor = new LinkedHashMap<>();
        List<Named> all = tensors(module);
        if (module instanceof GraphModel graph) {
            for (String name : graph.unsaved()) {
                if (name.startsWith(prefix)) state.omitted.add(name.substring(prefix.length()));
            }
        }
        for (Named n : all) {
            if (!n.name().startsWith(prefix)) continue;
            String name = n.name().substring(prefix.length());
            Entry entry = byTensor.computeIfAbsent(n.impl(), _ -> new Entry(n, new ArrayList<>()));
            entry.names.add(name);
            state.byName.put(name, entry);
        }
        state.entries.addAll(byTensor.values());
        if (state.entries.isEmpty() && !all.isEmpty()) {
            throw new TrainingException("no tensor of the module has the prefix \"" + prefix + "\"; the names are "
                    + Fit.some(all.stream().map(Named::name).toList()));
        }
        return state;
    }

    /// Returns parameters and buffers with all names.
    private static List<Named> tensors(Module module) {
        if (!(module instanceof GraphModel graph)) return Tensors.withAliasesOf(module);
        List<Named> all = new ArrayList<>();
        graph.state().forEach((name, tensor) -> all.add(new Named(name, tensor)));
        for (Named n : all) {
            if (!n.name().contains(".lora_A.")) continue;
            throw new TrainingException(graph.file() + " has adapters, such as " + n.name()
                    + "; load weights before Lora.on, and save with Lora.save or after Lora.merge");
        }
        return all;
    }

    /// The tensors in a directory, by name.
    record SourceTensors(Map<String, TensorSpec> specs) {
        static final SourceTensors EMPTY = new SourceTensors(Map.of());

        static SourceTensors of(Safetensors files) {
            Map<String, TensorSpec> specs = new LinkedHashMap<>();
            for (Tensor t : files.tensors()) specs.put(t.name(), t.spec());
            return new SourceTensors(specs);
        }
    }

    /// The conversion of names in files to names in the module.
    ///
    /// @param added prefix that the module's names have and the files' names do not
    /// @param removed prefix that the files' names have and the module's names do not
    private record Prefixes(String added, String removed) {
        static final Prefixes NONE = new Prefixes("", "");
    }

    /// Returns the module's name for a tensor of the files; null if the module does not have this tensor.
    private @Nullable String nameOf(String inFile, Prefixes prefixes) {
        String name = inFile;
        if (!prefixes.removed.isEmpty()) {
            if (!name.startsWith(prefixes.removed)) return null;
            name = name.substring(prefixes.removed.length());
        }
        name = prefixes.added + name;
        if (isKnown(name)) return name;
        int last = name.lastIndexOf('.') + 1;
        String now = RENAMED.get(name.substring(last));
        if (now != null && isKnown(name.substring(0, last) + now)) return name.substring(0, last) + now;
        return null;
    }

    private boolean isKnown(String name) {
        return byName.containsKey(name) || omitted.contains(name);
    }

    /// Returns the prefix to add or remove, as `from_pretrained` does for the base model. Tries the first part of
    /// every name, and returns the prefix with which most tensors match. Returns no prefix if a name matches
    /// without a prefix, or if two prefixes match equally well.
    private Prefixes prefixes(Set<String> inFiles) {
        Prefixes best = Prefixes.NONE;
        long most = count(inFiles, best);
        if (most > 0) return best;
        Set<Prefixes> tried = new LinkedHashSet<>();
        for (String name : byName.keySet()) tried.add(new Prefixes(firstPart(name), ""));
        for (String name : inFiles) tried.add(new Prefixes("", firstPart(name)));
        for (Prefixes p : tried) {
            long matches = count(inFiles, p);
            if (matches == most) best = Prefixes.NONE; // ambiguous
            if (matches <= most) continue;
            most = matches;
            best = p;
        }
        return best;
    }

    private long count(Set<String> inFiles, Prefixes prefixes) {
        return inFiles.stream().filter(n -> nameOf(n, prefixes) != null).count();
    }

    private static String firstPart(String name) {
        return name.substring(0, name.indexOf('.') + 1);
    }

    /// Fills the tensors.
    ///
    /// @param isPartial whether unmatched tensors are allowed
    /// @param isF32 whether shorter parameters become `F32`
    /// @throws TrainingException if the tensors do not match; then no tensor has changed
    IncompatibleKeys fill(Safetensors files, boolean isPartial, boolean isF32) {
        Prefixes prefixes = prefixes(SourceTensors.of(files).specs.keySet());
        Map<Entry, Tensor> found = new LinkedHashMap<>();
        List<Tensor> matched = new ArrayList<>();
        for (Tensor t : files.tensors()) {
            String name = nameOf(t.name(), prefixes);
            Entry entry = name == null ? null : byName.get(name);
            if (entry == null) {
                // a tensor that the module does not have is reported as unmatched; a non-persistent buffer,
                // which older files store, is ignored, because the module computes it
                if (name == null) matched.add(t);
                continue;
            }
            Tensor before = found.putIfAbsent(entry, t);
            if (before == null) matched.add(renamed(t, entry.first()));
            else requireSame(before, t);
        }
        List<Named> filled = new ArrayList<>();
        for (Entry e : entries) {
            if (e.first().endsWith(COUNTER) && !found.containsKey(e)) continue;
            filled.add(renamed(e));
        }
        Fit fit = Fit.of(new Safetensors(matched, Map.of()), filled, isPartial);
        if (isF32) entries.forEach(StateDict::lengthen);
        fit.fill();
        return new IncompatibleKeys(fit.missingKeys(), fit.unexpectedKeys());
    }

    private static Named renamed(Entry e) {
        Named n = e.tensor;
        return new Named(e.first(), n.tensor(), n.impl(), n.address(), n.isOnCpu());
    }

    private static Tensor renamed(Tensor t, String name) {
        return new Tensor(new TensorSpec(name, t.spec().dtype(), t.spec().shape()), t.storage());
    }

    private static void requireSame(Tensor one, Tensor other) {
        boolean isSame = one.spec().dtype() == other.spec().dtype()
                && one.spec().shape().equals(other.spec().shape())
                && one.data().mismatch(other.data()) < 0;
        if (isSame) return;
        throw new TrainingException(one.name() + " and " + other.name() + " are one tensor in the module, and"
                + " differ in the files; export the model after from_pretrained, which does not tie these weights");
    }

    private static void lengthen(Entry e) {
        org.bytedeco.pytorch.Tensor tensor = e.tensor.tensor();
        if (tensor.requires_grad() && tensor.is_floating_point() && tensor.element_size() < Float.BYTES) {
            tensor.set_data(tensor.detach().to(Tensors.scalar(DType.F32)));
        }
    }

    /// Returns the tensors to be written. Each tensor is written under all names that the source has for it, or
    /// under the first name if the source has none.
    ///
    /// @param hasSourceTypes whether tensors get the types of the source
    /// @throws TrainingException if none of the source's tensors would be written, or a shape differs
    Safetensors tensors(SourceTensors source, boolean hasSourceTypes) {
        Prefixes prefixes = prefixes(source.specs.keySet());
        Map<String, String> inSource = new HashMap<>(); // from the module's name to the source's
        for (String name : source.specs.keySet()) {
            String own = nameOf(name, prefixes);
            if (own != null) inSource.put(own, name);
        }
        boolean isWrapped = byName.keySet().stream().allMatch(n -> n.startsWith(prefixes.added));
        int removed = isWrapped ? prefixes.added.length() : 0;
        List<Tensor> tensors = new ArrayList<>();
        for (Entry e : entries) {
            List<String> names = new ArrayList<>(
                    e.names.stream().filter(inSource::containsKey).toList());
            if (names.isEmpty() && e.first().endsWith(COUNTER) && !source.specs.isEmpty()) continue;
            if (names.isEmpty()) names.add(e.first());
            for (String name : names) {
                String stored = inSource.get(name);
                TensorSpec spec = stored == null ? null : source.specs.get(stored);
                if (spec != null) requireSameShape(spec, name, Tensors.shape(e.tensor.tensor()));
                DType type = hasSourceTypes && spec != null ? spec.dtype() : null;
                tensors.add(stored(e.tensor.tensor(), name.substring(removed), type));
            }
        }
        if (inSource.isEmpty() && !source.specs.isEmpty()) {
            throw new TrainingException("none of the source's names is one of the module's; the source has "
                    + Fit.some(List.copyOf(source.specs.keySet())) + " and the module "
                    + Fit.some(entries.stream().map(Entry::first).toList())
                    + "; use HubDirectory.withPrefix");
        }
        return new Safetensors(tensors, Map.of("format", "pt"));
    }

    private static void requireSameShape(TensorSpec stored, String name, List<Long> shape) {
        if (stored.shape().equals(shape)) return;
        throw new TrainingException("the source has " + stored + ", but " + name + " of the module has the shape "
                + shape + "; the source must be the directory of this model, because its config.json is copied");
    }

    /// @param type the type in the file; null for the tensor's type
    private static Tensor stored(org.bytedeco.pytorch.Tensor tensor, String name, @Nullable DType type) {
        org.bytedeco.pytorch.Tensor whole = tensor.detach();
        if (type != null) whole = whole.to(Tensors.scalar(type));
        return Tensors.shared(name, whole.contiguous());
    }
}
