package org.tutti.train.torch;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.InputArchive;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.OutputArchive;
import org.bytedeco.pytorch.Tuple;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.torch.pickle.Pickle;
import org.tutti.train.torch.tensor.Tensors;
import org.tutti.train.torch.tensor.Tensors.Named;

/// The state of an optimizer for each parameter, as named tensors, so that it can be redistributed over a
/// different number of ranks:
///
///     optimizer.fc1.weight.exp_avg     F32[512, 784]     the optimizer's memory
///     optimizer.fc1.weight.step        I64[]             a number of the optimizer
///
/// and the options as the metadata entry `optimizer.fc1.weight`: `lr=0.01 betas=(0.9,0.999) …`.
///
/// libtorch's Java classes do not expose the state of an optimizer. It is read from an archive, in which the
/// keys are the addresses of the parameters.
record OptimizerState(List<Tensor> tensors, Map<String, String> options) {
    static final String PREFIX = "optimizer.";

    /// A parameter group in an archive.
    private record Group(List<Long> parameters, Map<String, @Nullable Object> options) {}

    /// Returns the state without copies, valid until the optimizer's next step. Returns null if a value of the
    /// state is not a contiguous tensor or an integer, if an option has an unsupported type, or if a
    /// parameter of the optimizer is not in `parameters` and therefore has no name.
    static @Nullable OptimizerState of(Optimizer optimizer, List<Named> parameters) {
        Map<Long, String> names = new LinkedHashMap<>();
        for (Named n : parameters) names.put(n.impl(), n.name());
        List<Tensor> tensors = new ArrayList<>();
        Map<String, String> options = new LinkedHashMap<>();
        try (PointerScope scope = new PointerScope()) {
            Archive archive = archive(optimizer);
            Map<String, @Nullable Object> states = fields(archive.fields(), "state");
            for (Group group : groups(archive.fields())) {
                String text = text(group.options);
                for (long parameter : group.parameters) {
                    String name = names.get(parameter);
                    if (name == null || text == null) return null;
                    options.put(PREFIX + name, text);
                    if (!(states.get("" + parameter) instanceof Pickle.Fields state)) continue;
                    for (Map.Entry<String, @Nullable Object> e : state.by().entrySet()) {
                        Tensor tensor = tensor(PREFIX + name + "." + e.getKey(), e.getValue(), archive);
                        if (tensor == null) return null;
                        tensors.add(tensor);
                    }
                }
            }
        }
        return new OptimizerState(tensors, options);
    }

    private static Archive archive(Optimizer optimizer) {
        OutputArchive archive = new OutputArchive();
        optimizer.save(archive);
        return Archive.of(archive);
    }

    private static Map<String, @Nullable Object> fields(Pickle.Fields of, String name) {
        return ((Pickle.Fields) Objects.requireNonNull(of.by().get(name), name)).by();
    }

    private static List<Group> groups(Pickle.Fields archive) {
        Pickle.Fields all = new Pickle.Fields(fields(archive, "param_groups"));
        List<Group> groups = new ArrayList<>();
        for (int g = 0; all.by().containsKey("param_groups/" + g); g++) {
            Pickle.Fields group = new Pickle.Fields(fields(all, "param_groups/" + g));
            List<Long> parameters = new ArrayList<>();
            for (int i = 0; group.by().get("params/" + i) instanceof String s; i++) parameters.add(Long.valueOf(s));
            groups.add(new Group(parameters, fields(group, "options")));
        }
        return groups;
    }

    /// Returns null if the value cannot be a tensor.
    private static @Nullable Tensor tensor(String name, @Nullable Object value, Archive archive) {
        return switch (value) {
            case Long number ->
                new Tensor(new TensorSpec(name, DType.I64, List.of()), MemorySegment.ofArray(new long[] {number}));
            case Pickle.Stored stored -> stored(name, stored, archive);
            case null, default -> null;
        };
    }

    private static @Nullable Tensor stored(String name, Pickle.Stored stored, Archive archive) {
        DType type = switch (stored.type()) {
            case "DoubleStorage" -> DType.F64;
            case "FloatStorage" -> DType.F32;
            case "HalfStorage" -> DType.F16;
            case "BFloat16Storage" -> DType.BF16;
            case "LongStorage" -> DType.I64;
            default -> null;
        };
        if (type == null || !isInOnePiece(stored)) return null;
        TensorSpec spec = new TensorSpec(name, type, stored.shape());
        MemorySegment data = spec.sizeBytes() == 0 ? MemorySegment.NULL : archive.tensor(stored.record());
        return new Tensor(spec, data.asSlice(stored.offset() * type.sizeBytes(), spec.sizeBytes()));
    }

    private static boolean isInOnePiece(Pickle.Stored stored) {
        long stride = 1;
        for (int d = stored.shape().size() - 1; d >= 0; d--) {
            long length = stored.shape().get(d);
            if (length > 1 && stored.strides().get(d) != stride) return false;
            stride *= length;
        }
        return true;
    }

    /// Returns null if an option is not a number, a boolean, null or a tuple of real numbers.
    private static @Nullable String text(Map<String, @Nullable Object> options) {
        List<String> texts = new ArrayList<>();
        for (Map.Entry<String, @Nullable Object> e : options.entrySet()) {
            String value = text(e.getValue());
            if (value == null) return null;
            texts.add(e.getKey() + "=" + value);
        }
        return String.join(" ", texts);
    }

    private static @Nullable String text(@Nullable Object value) {
        return switch (value) {
            case null -> "None";
            case Long number -> number.toString();
            case Double number -> number.toString();
            case Boolean yes -> yes ? "True" : "False";
            case List<?> tuple
            when tuple.stream().allMatch(v -> v instanceof Double) ->
                tuple.stream().map(Object::toString).collect(Collectors.joining(",", "(", ")"));
            default -> null;
        };
    }

    private static IValue value(String text) {
        return switch (text) {
            case "None" -> new IValue();
            case "True", "False" -> new IValue(text.equals("True"));
            default -> {
                if (text.startsWith("(")) yield tuple(text.substring(1, text.length() - 1));
                yield text.matches("-?\\d+") ? new IValue(Long.parseLong(text)) : new IValue(Double.parseDouble(text));
            }
        };
    }

    private static IValue tuple(String numbers) {
        IValueVector all = new IValueVector();
        for (String number : numbers.split(",")) all.push_back(new IValue(Double.parseDouble(number)));
        return new IValue(Tuple.create(all));
    }

    /// Returns whether a tensor of a checkpoint is part of an optimizer's state.
    static boolean has(Safetensors checkpoint, String tensor) {
        return tensor.startsWith(PREFIX) && checkpoint.metadata().containsKey(owner(tensor));
    }

    private static String owner(String tensor) {
        return tensor.substring(0, tensor.lastIndexOf('.'));
    }

    /// Returns the parameters that a checkpoint's optimizer updates.
    static Set<String> parameters(Safetensors checkpoint) {
        return checkpoint.metadata().keySet().stream()
                .filter(key -> key.startsWith(PREFIX))
                .map(key -> key.substring(PREFIX.length()))
                .collect(Collectors.toSet());
    }

    /// Restores the state of an optimizer's parameters from a checkpoint. If it throws, no state has changed.
    ///
    /// @param parameters at least the optimizer's parameters
    /// @throws RuntimeException if the state is from a different optimizer: a TrainingException, or libtorch's
    ///     exception
    static void restore(Safetensors checkpoint, Optimizer optimizer, List<Named> parameters) {
        Map<Long, String> names = new HashMap<>();
        for (Named n : parameters) names.put(n.impl(), PREFIX + n.name());
        Map<String, List<Tensor>> states = new HashMap<>();
        for (Tensor t : checkpoint.tensors()) {
            if (has(checkpoint, t.name()))
                states.computeIfAbsent(owner(t.name()), _ -> new ArrayList<>()).add(t);
        }
        try (PointerScope scope = new PointerScope();
                Arena arena = Arena.ofConfined()) {
            OutputArchive all = new OutputArchive();
            OutputArchive state = new OutputArchive(all.compilation_unit());
            OutputArchive groups = new OutputArchive(all.compilation_unit());
            List<Group> own = groups(archive(optimizer).fields());
            for (int g = 0; g < own.size(); g++) {
                List<Long> ids = own.get(g).parameters;
                for (long id : ids) {
                    List<Tensor> saved = states.get(names.get(id));
                    if (saved != null) state.write("" + id, state(saved, all, arena));
                }
                List<String> of = ids.stream()
                        .map(id -> Objects.requireNonNull(names.get(id), "" + id))
                        .toList();
                // a rank's share of a group may be empty
                String options = of.isEmpty()
                        ? Objects.requireNonNullElse(text(own.get(g).options), "")
                        : options(checkpoint, of);
                requireSameKind(options, own.get(g).options.keySet(), optimizer);
                groups.write("param_groups/" + g, group(ids, options, all));
            }
            groups.write("param_groups/size", torch.tensor((long) own.size()));
            all.write("pytorch_version", new IValue("1.5.0"));
            all.write("state", state);
            all.write("param_groups", groups);
            InputArchive read = new InputArchive();
            Archive.of(all).loadInto(read);
            optimizer.load(read);
        }
    }

    /// Compares the names of the options, because a checkpoint does not contain the optimizer's name.
    private static void requireSameKind(String savedOptions, Set<String> ownOptions, Optimizer own) {
        Set<String> saved = Arrays.stream(savedOptions.split(" "))
                .map(option -> option.substring(0, Math.max(0, option.indexOf('='))))
                .collect(Collectors.toSet());
        if (saved.equals(ownOptions) || ownOptions.isEmpty()) return;
        throw new TrainingException("the checkpoint has the state of " + kind(saved) + ", and this optimizer is "
                + own.getClass().getSimpleName()
                + "; create an optimizer of the checkpoint's kind, or pass null to restore only the"
                + " module");
    }

    /// Returns the name of libtorch's optimizer with these options.
    private static String kind(Set<String> options) {
        if (options.contains("nesterov")) return "SGD";
        if (options.contains("betas")) return "Adam or AdamW";
        if (options.contains("centered")) return "RMSprop";
        if (options.contains("lr_decay")) return "Adagrad";
        return "an optimizer with the options " + new TreeSet<>(options);
    }

    private static OutputArchive state(List<Tensor> saved, OutputArchive in, Arena arena) {
        OutputArchive state = new OutputArchive(in.compilation_unit());
        for (Tensor t : saved) {
            TensorSpec spec = t.spec();
            String field = spec.name().substring(spec.name().lastIndexOf('.') + 1);
            if (spec.dtype() == DType.I64 && spec.shape().isEmpty()) {
                state.write(field, new IValue(t.data().get(ValueLayout.JAVA_LONG_UNALIGNED, 0)));
                continue;
            }
            MemorySegment data = t.data();
            MemorySegment there = data.isNative()
                    ? data
                    : arena.allocate(Math.max(1, data.byteSize()), 8).copyFrom(data);
            long[] shape = spec.shape().stream().mapToLong(d -> d).toArray();
            state.write(
                    field,
                    Tensors.over(there.asSlice(0, data.byteSize()), spec.dtype())
                            .reshape(shape));
        }
        return state;
    }

    private static OutputArchive group(List<Long> parameters, String options, OutputArchive in) {
        OutputArchive group = new OutputArchive(in.compilation_unit());
        group.write("params/size", torch.tensor((long) parameters.size()));
        for (int i = 0; i < parameters.size(); i++) group.write("params/" + i, new IValue("" + parameters.get(i)));
        OutputArchive written = new OutputArchive(in.compilation_unit());
        for (String option : options.split(" ")) {
            int equals = option.indexOf('=');
            if (equals > 0) written.write(option.substring(0, equals), value(option.substring(equals + 1)));
        }
        group.write("options", written);
        return group;
    }

    /// Returns the options of a group. Throws if the options of two parameters differ.
    private static String options(Safetensors checkpoint, List<String> group) {
        String first = "";
        for (String parameter : group) {
            String options = Objects.requireNonNull(checkpoint.metadata().get(parameter), parameter);
            if (first.isEmpty()) first = options;
            if (options.equals(first)) continue;
            throw new TrainingException("two parameters of an optimizer group have different options in the"
                    + " checkpoint: " + group.getFirst() + " " + first + ", and " + parameter + " " + options);
        }
        return first;
    }
}
