package org.tutti.train.torch.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.Tensor;
import org.tutti.train.torch.tensor.Tensors.Named;

/// Matches the tensors of a file with the tensors of a module, by name.
public record Fit(Map<Named, Tensor> pairs, List<String> missingKeys, List<String> unexpectedKeys) {
    private static final int MOST_NAMED = 8;

    /// @param part whether unmatched tensors are allowed
    public static Fit of(Safetensors from, List<Named> module, boolean part) {
        Map<String, Tensor> there = new LinkedHashMap<>();
        from.tensors().forEach(t -> there.put(t.name(), t));
        Map<Named, Tensor> pairs = new LinkedHashMap<>();
        List<String> missing = new ArrayList<>(), wrong = new ArrayList<>();
        for (Named n : module) {
            Tensor t = there.remove(n.name());
            List<Long> shape = Tensors.shape(n.tensor());
            if (t == null) missing.add(n.name());
            else if (!t.spec().shape().equals(shape)) wrong.add(t.spec() + " is " + shape + " in the module");
            else pairs.put(n, t);
        }
        List<String> unexpectedKeys = List.copyOf(there.keySet());
        if (!part && !missing.isEmpty()) wrong.add("the file has no " + some(missing));
        if (!part && !unexpectedKeys.isEmpty()) wrong.add("the module has no " + some(unexpectedKeys));
        if (part && pairs.isEmpty() && wrong.isEmpty()) {
            wrong.add("none of the file's names is one of the module's; the file has " + some(unexpectedKeys)
                    + " and the module " + some(missing) + "; rename tensors with Safetensors.mapNames");
        }
        if (!wrong.isEmpty())
            throw new TrainingException("the weights do not fit the module: " + String.join("; ", wrong));
        return new Fit(pairs, missing, unexpectedKeys);
    }

    /// Returns a list of names as text for an error message; a long list is shortened.
    public static String some(List<String> names) {
        int more = names.size() - MOST_NAMED;
        return String.join(", ", names.subList(0, Math.min(names.size(), MOST_NAMED)))
                + (more > 0 ? " and " + more + " more" : "");
    }

    /// Copies all numbers to the module, converted to the types of the module.
    public void fill() {
        try (NoGradGuard noGradients = new NoGradGuard()) {
            pairs.forEach(Fit::fill);
        }
    }

    private static void fill(Named into, Tensor from) {
        try (PointerScope scope = new PointerScope();
                Arena arena = Arena.ofConfined()) {
            MemorySegment data = from.data();
            MemorySegment there = data.isNative()
                    ? data
                    : arena.allocate(Math.max(1, data.byteSize()), 8).copyFrom(data);
            long[] shape = from.spec().shape().stream().mapToLong(d -> d).toArray();
            into.tensor()
                    .copy_(Tensors.over(
                                    there.asSlice(0, data.byteSize()),
                                    from.spec().dtype())
                            .reshape(shape));
        }
    }
}
