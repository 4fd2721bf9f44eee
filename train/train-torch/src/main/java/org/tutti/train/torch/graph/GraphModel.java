package org.tutti.train.torch.graph;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.openblas.presets.openblas_nolapack;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.DeviceType;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.torch.graph.CompiledGraph.Operand;
import org.tutti.train.torch.graph.RunConditions.OnDevice;
import org.tutti.train.torch.graph.file.Argument;
import org.tutti.train.torch.graph.file.ExportedProgram;
import org.tutti.train.torch.graph.file.ExportedProgramReader;
import org.tutti.train.torch.graph.file.ProgramGraph;
import org.tutti.train.torch.graph.file.ProgramSignature;
import org.tutti.train.torch.graph.file.StoredTensor;
import org.tutti.train.torch.graph.file.TensorMeta;
import org.tutti.train.torch.tensor.LibTorch;
import org.tutti.train.torch.tensor.Tensors;

/// A model that Python has written with `torch.export.save`: layers, weights and, if labels are an input, the loss.
/// Parameters have Python's names.
///
///     GraphModel bert = GraphModel.read(Path.of("bert.pt2"));
///     DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(bert), group);
///     AdamW optimizer = new AdamW(bert.parameters(), new AdamWOptions(2e-5));
///     try (Step step = ddp.step(n)) {
///         Outputs out = bert.run(Map.of("input_ids", ids, "attention_mask", mask, "labels", labels));
///         out.get("loss").backward();
///         …
///     }
///
/// `train(true)` and `eval()` switch dropout and batch norm between training and evaluation. PyTorch does not offer
/// this for exported models. A new model is in the mode in which it was exported. Tied weights are one tensor, with
/// the first of Python's names. Several threads may run a model at the same time, unless the graph changes buffers.
///
/// @see <a href="https://docs.pytorch.org/docs/stable/export.html">torch.export</a>
public final class GraphModel extends Module {
    private final String file;
    private final ExportedProgram program;
    private final SizeChecks checks;

    /// The graph of the file, or the graph with adapters.
    private CompiledGraph graph;

    /// Added parameters, by name.
    private final Map<String, Tensor> adapters = new LinkedHashMap<>();

    /// Parameters and persistent buffers by Python's names; all names of a tied weight have the same tensor.
    private final Map<String, Tensor> state;

    /// Buffers that Python does not save, and constants. libtorch's module does not have these.
    private final Map<String, Tensor> constants;

    /// The inner modules, which libtorch does not keep alive.
    private final Map<String, Module> modules = new LinkedHashMap<>();

    private final @Nullable Tensor first;
    private final boolean isForEvaluation;
    private final boolean isSwitched;
    private final boolean hasBatchNorm;
    private boolean isConverted;
    private volatile OnDevice device;
    private @Nullable ProcessGroup batchNormGroup;

    private GraphModel(
            ExportedProgram program,
            CompiledGraph graph,
            ModeFlags flags,
            SizeChecks checks,
            Map<String, Tensor> state,
            Map<String, Tensor> constants) {
        super(program.file());
        this.file = Path.of(program.file()).getFileName().toString();
        this.program = program;
        this.graph = graph;
        this.checks = checks;
        this.state = state;
        this.constants = constants;
        isForEvaluation = flags.isExportedForEvaluation();
        hasBatchNorm = flags.hasBatchNorm();
        isSwitched = flags.isExportedForTraining() || hasMutations(program);
        first = state.values().stream().findFirst().orElse(null);
        device = OnDevice.of(new Device(DeviceType.CPU));
        register();
        if (isForEvaluation) super.train(false);
    }

    private static boolean hasMutations(ExportedProgram program) {
        return program.signature().outputs().stream()
                .anyMatch(o -> o instanceof ProgramSignature.Output.BufferMutation);
    }

    /// Reads a file of major version 8 of the format, which PyTorch 2.6 and later versions write. The weights
    /// are copied to memory of libtorch.
    ///
    /// @throws CheckpointException if the file is not an exported program, or calls operators that libtorch does
    ///     not have, or that a file may not call
    /// @throws TrainingException if libtorch is not present
    public static GraphModel read(Path path) throws IOException {
        LibTorch.load();
        // matrix products run on the separate threads of OpenBLAS; use as many of these as libtorch has threads
        openblas_nolapack.blas_set_num_threads(torch.get_num_threads());
        try (Arena arena = Arena.ofConfined();
                PointerScope scope = new PointerScope()) {
            return of(ExportedProgramReader.read(path, arena));
        }
    }

    /// Returns a model with copies of the tensors.
    static GraphModel of(ExportedProgram program) throws CheckpointException {
        String file = Path.of(program.file()).getFileName().toString();
        Map<String, Tensor> state = new LinkedHashMap<>(), constants = new LinkedHashMap<>();
        List<Stored> copied = new ArrayList<>();
        for (ProgramSignature.Input input : program.signature().inputs()) {
            switch (input) {
                case ProgramSignature.Input.Parameter(String _, String parameter) ->
                    state.put(parameter, tensor(file, parameter, program.weights(), copied));
                case ProgramSignature.Input.Buffer(String _, String buffer, boolean isPersistent) -> {
                    Map<String, StoredTensor> from = isPersistent ? program.weights() : program.constants();
                    (isPersistent ? state : constants).put(buffer, tensor(file, buffer, from, copied));
                }
                case ProgramSignature.Input.Constant(String _, String constant) ->
                    constants.put(constant, tensor(file, constant, program.constants(), copied));
                case ProgramSignature.Input.User _, ProgramSignature.Input.Fixed _ -> {}
            }
        }
        ModeFlags flags = new ModeFlags();
        CompiledGraph graph = compile(file, program.graph(), program.signature(), flags, state, constants);
        SizeChecks checks = new SizeChecks(file, userInputs(program), program.ranges());
        GraphModel model = new GraphModel(program, graph, flags, checks, state, constants);
        model.retainReference();
        if (!program.isTraining()) {
            System.err.println(file + " was exported with run_decompositions(), which makes training slower and eval()"
                    + " impossible; save the result of torch.export.export");
        }
        return model;
    }

    private static CompiledGraph compile(
            String file,
            ProgramGraph graph,
            ProgramSignature signature,
            ModeFlags flags,
            Map<String, Tensor> state,
            Map<String, Tensor> constants)
            throws CheckpointException {
        Map<String, IValue> bound = new HashMap<>();
        Map<String, String> buffers = new HashMap<>();
        for (ProgramSignature.Input input : signature.inputs()) {
            switch (input) {
                case ProgramSignature.Input.Parameter(String name, String parameter) ->
                    bound.put(name, value(state.get(parameter)));
                case ProgramSignature.Input.Buffer(String name, String buffer, boolean isPersistent) -> {
                    bound.put(name, value((isPersistent ? state : constants).get(buffer)));
                    buffers.put(name, buffer);
                }
                case ProgramSignature.Input.Constant(String name, String constant) ->
                    bound.put(name, value(constants.get(constant)));
                case ProgramSignature.Input.User _, ProgramSignature.Input.Fixed _ -> {}
            }
        }
        Operators operators = new Operators();
        CompiledGraph compiled = new GraphCompiler(file, operators, flags, bound, buffers).compile(graph);
        operators.check(file);
        return compiled;
    }

    private static IValue value(@Nullable Tensor tensor) {
        IValue value = new IValue(Objects.requireNonNull(tensor));
        value.retainReference();
        return value;
    }

    private record Stored(String name, StoredTensor of, Tensor tensor) {}

    /// Returns a copy of a stored tensor, or the same tensor if the file stores the same numbers under two names.
    private static Tensor tensor(String file, String name, Map<String, StoredTensor> from, List<Stored> copied)
            throws CheckpointException {
        StoredTensor stored = from.get(name);
        if (stored == null) throw new CheckpointException(file + " has no tensor " + name);
        for (Stored s : copied) if (s.of.isSame(stored)) return s.tensor;
        try (PointerScope scope = new PointerScope()) {
            Tensor whole = Tensors.over(stored.storage(), stored.type());
            Tensor copy = whole.as_strided(
                            numbers(stored.sizes()), numbers(stored.strides()), new LongOptional(stored.offset()))
                    .clone(new MemoryFormatOptional(MemoryFormat.Contiguous));
            boolean isTrained = stored.isParameter() && stored.requiresGradient();
            if (isTrained && !copy.is_floating_point() && !copy.is_complex()) {
                throw new CheckpointException(
                        file + ": parameter " + name + " is " + stored.type() + ", and cannot require a gradient");
            }
            copy.set_requires_grad(isTrained);
            copy.retainReference();
            copied.add(new Stored(name, stored, copy));
            return copy;
        }
    }

    private static long[] numbers(List<Long> list) {
        return list.stream().mapToLong(n -> n).toArray();
    }

    /// Returns the tensors that a caller passes, by name.
    private static Map<String, TensorMeta> userInputs(ExportedProgram program) throws CheckpointException {
        Map<String, TensorMeta> inputs = new LinkedHashMap<>();
        int user = 0;
        for (ProgramSignature.Input input : program.signature().inputs()) {
            if (!(input instanceof ProgramSignature.Input.User(Argument argument))) continue;
            String name = program.inputNames().get(user++);
            if (argument instanceof Argument.TensorValue(String value)) {
                TensorMeta meta = program.graph().tensors().get(value);
                if (meta == null)
                    throw new CheckpointException(program.file() + " does not describe the input " + name);
                inputs.put(name, meta);
            } else if (argument instanceof Argument.NumberValue) {
                inputs.put(name, new TensorMeta(INTEGER, List.of(), false, "cpu"));
            }
        }
        return inputs;
    }

    /// The file's code of `I64`.
    private static final int INTEGER = 5;

    private void register() {
        for (Map.Entry<String, Tensor> e : state.entrySet()) {
            String name = e.getKey();
            Tensor tensor = e.getValue();
            if (isAlias(name)) continue;
            int dot = name.lastIndexOf('.');
            Module owner = dot < 0 ? this : module(name.substring(0, dot));
            String last = name.substring(dot + 1);
            if (isParameter(name)) owner.register_parameter(last, tensor, tensor.requires_grad());
            else owner.register_buffer(last, tensor);
        }
    }

    private boolean isAlias(String name) {
        for (Map.Entry<String, Tensor> e : state.entrySet()) {
            if (e.getKey().equals(name)) return false;
            if (e.getValue() == state.get(name)) return true;
        }
        return false;
    }

    private Module module(String path) {
        Module known = modules.get(path);
        if (known != null) return known;
        int dot = path.lastIndexOf('.');
        Module owner = dot < 0 ? this : module(path.substring(0, dot));
        Module made = new Module(path.substring(dot + 1));
        made.retainReference();
        owner.register_module(path.substring(dot + 1), made);
        modules.put(path, made);
        return made;
    }

    /// Runs the model.
    ///
    /// @param inputs a tensor for each argument of Python's `forward` that was given at export; the name of a
    ///     nested tensor has dots, such as `options.mask`
    /// @throws TrainingException if an input is missing, unknown, or of a different type or size than at export; or
    ///     if an operator fails, with the line of Python that called it
    public Outputs run(Map<String, Tensor> inputs) {
        List<Tensor> ordered = new ArrayList<>();
        for (String name : checks.names()) {
            Tensor tensor = inputs.get(name);
            if (tensor == null)
                throw new TrainingException(file + ": no " + name + "; the model takes " + checks.described());
            ordered.add(tensor);
        }
        if (inputs.size() > ordered.size()) {
            String unknown = inputs.keySet().stream()
                    .filter(name -> !checks.names().contains(name))
                    .sorted()
                    .findFirst()
                    .orElse("");
            throw new TrainingException(file + " has no input " + unknown + "; the model takes " + checks.described());
        }
        return run(ordered);
    }

    /// As [#run(Map)], with the tensors in Python's order.
    public Outputs run(Tensor... inputs) {
        if (inputs.length != checks.names().size()) {
            throw new TrainingException(file + " is run with " + inputs.length
                    + (inputs.length == 1 ? " tensor" : " tensors") + "; the model takes " + checks.described());
        }
        return run(Arrays.asList(inputs));
    }

    private Outputs run(List<Tensor> inputs) {
        RunConditions conditions = new RunConditions(is_training(), currentDevice(), batchNormGroup);
        GraphRun run = graph.open(conditions);
        boolean isDone = false;
        try {
            try (PointerScope scope = new PointerScope()) {
                checks.check(inputs);
                int next = 0;
                for (CompiledGraph.Input input : graph.inputs()) {
                    if (input.slot() < 0) continue;
                    Tensor tensor = inputs.get(next++);
                    if (input.isNumber()) run.setNumber(input.slot(), (Object) tensor.item_long());
                    else run.copy(new IValue(tensor), input.slot());
                }
                execute(run, inputs);
            }
            Outputs outputs = outputs(run);
            isDone = true;
            return outputs;
        } finally {
            if (isDone) graph.close(run);
            else run.discard();
        }
    }

    /// Adds to the error of an operator the types that were changed since the export, because these may be the
    /// reason.
    private void execute(GraphRun run, List<Tensor> inputs) {
        try {
            run.execute();
        } catch (TrainingException e) {
            List<String> reasons = new ArrayList<>();
            String input = checks.otherType(inputs);
            if (!input.isEmpty()) reasons.add(input);
            if (isConverted) {
                reasons.add("the model was converted after the export, and the graph contains the types of the export;"
                        + " export the converted model, or use Autocast");
            }
            if (reasons.isEmpty()) throw e;
            throw new TrainingException(e.getMessage() + " (" + String.join("; ", reasons) + ")", e);
        }
    }

    private Outputs outputs(GraphRun run) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < graph.outputs().length; i++) {
            if (program.signature().outputs().get(i)
                    instanceof ProgramSignature.Output.BufferMutation(String _, String buffer)) {
                update(buffer, run, graph.outputs()[i]);
                continue;
            }
            values.add(
                    switch (graph.outputs()[i]) {
                        case Operand.OfTensor(ValueRef value) ->
                            // a separate reference to the tensor, because the reference from toTensor points
                            // into the slot
                            new Tensor(value.in(run).toTensor());
                        case Operand.OfNumber(int slot) -> run.number(slot);
                        case Operand.OfConstant(Object value) -> value;
                    });
        }
        return new Outputs(file, program.outputNames(), values);
    }

    private void update(String buffer, GraphRun run, Operand value) {
        Tensor into = state.getOrDefault(buffer, constants.get(buffer));
        if (into == null || !(value instanceof Operand.OfTensor(ValueRef of))) return;
        try (PointerScope scope = new PointerScope();
                NoGradGuard noGradients = new NoGradGuard()) {
            into.copy_(of.in(run).toTensor());
        }
    }

    /// Returns the device of the parameters, and moves the constants to this device if necessary.
    private OnDevice currentDevice() {
        OnDevice last = device;
        if (first == null || last.isCpu() && first.is_cpu()) return last;
        try (PointerScope scope = new PointerScope()) {
            Device now = first.device();
            if (!device.is(now)) move(now);
            return device;
        }
    }

    private synchronized void move(Device to) {
        for (Tensor constant : constants.values()) constant.set_data(constant.to(to, constant.scalar_type()));
        device = OnDevice.of(to);
    }

    /// Switches dropout, batch norm and similar operators between training and evaluation.
    ///
    /// @throws TrainingException if the file was exported in a way that permits only the other mode
    @Override
    public void train(boolean isOn) {
        if (isOn && isForEvaluation) {
            throw new TrainingException(file + " was exported in evaluation mode, and dropout and batch norm stay"
                    + " in this mode; export the model with train=True of tutti_export, or after model.train()");
        }
        if (!isOn && isSwitched && !program.isTraining()) {
            throw new TrainingException(file + " was exported with run_decompositions() and cannot be switched to"
                    + " eval(); save the result of torch.export.export");
        }
        super.train(isOn);
    }

    @Override
    public void eval() {
        train(false);
    }

    @Override
    public void to(Device device, ScalarType type, boolean isAsynchronous) {
        super.to(device, type, isAsynchronous);
        convertConstants(type);
    }

    @Override
    public void to(ScalarType type, boolean isAsynchronous) {
        super.to(type, isAsynchronous);
        convertConstants(type);
    }

    /// As in Python, buffers that are not saved are converted, and constants are not.
    private void convertConstants(ScalarType type) {
        isConverted = true;
        for (ProgramSignature.Input input : program.signature().inputs()) {
            if (!(input instanceof ProgramSignature.Input.Buffer(String _, String buffer, boolean _))) continue;
            Tensor tensor = constants.get(buffer);
            if (tensor == null || !tensor.is_floating_point()) continue;
            try (PointerScope scope = new PointerScope()) {
                tensor.set_data(tensor.to(type));
            }
        }
    }

    /// Lets batch norm use, in training, the means and variances over the samples of all ranks, as
    /// [org.tutti.train.torch.SyncBatchNorm] does. This is useful if the batch of each rank is small. All ranks
    /// call this method. In each step, every rank then runs the model with at least one sample.
    ///
    /// @throws TrainingException if the graph has no batch norm with running means
    public void synchronizeBatchNorm(ProcessGroup group) {
        if (!hasBatchNorm) {
            throw new TrainingException(file + " has no batch norm that ranks can compute together");
        }
        batchNormGroup = group;
    }

    /// Excludes parameters from training. Call it before `TorchModel.of`.
    ///
    /// @param patterns names, in which `*` matches any characters: `bert.embeddings.*`
    /// @throws TrainingException if a pattern matches no parameter
    public void freeze(String... patterns) {
        for (Tensor parameter : matching(patterns, true)) parameter.set_requires_grad(false);
    }

    /// Returns the trainable parameters that match a pattern, for a parameter group of an optimizer.
    ///
    /// @param patterns as for [#freeze]
    /// @throws TrainingException if a pattern matches no parameter
    public TensorVector parametersMatching(String... patterns) {
        return trained(matching(patterns, true));
    }

    /// Returns the trainable parameters that match none of the patterns.
    ///
    /// @param patterns as for [#freeze]
    /// @throws TrainingException if a pattern matches no parameter
    public TensorVector parametersExcept(String... patterns) {
        return trained(matching(patterns, false));
    }

    private static TensorVector trained(List<Tensor> parameters) {
        TensorVector trained = new TensorVector();
        for (Tensor p : parameters) if (p.requires_grad()) trained.push_back(p);
        return trained;
    }

    private List<Tensor> matching(String[] patterns, boolean isMatch) {
        List<String> names = parameterNames();
        List<Pattern> compiled = new ArrayList<>();
        for (String pattern : patterns) {
            Pattern p = Pattern.compile("\\Q" + pattern.replace("*", "\\E.*\\Q") + "\\E");
            compiled.add(p);
            if (names.stream().noneMatch(n -> p.matcher(n).matches())) {
                throw new TrainingException(
                        file + ": no parameter matches " + pattern + "; the model has " + String.join(", ", names));
            }
        }
        List<Tensor> found = new ArrayList<>();
        for (String name : names) {
            Tensor tensor = state.get(name);
            boolean matches = compiled.stream().anyMatch(p -> p.matcher(name).matches());
            if (tensor != null && matches == isMatch && !found.contains(tensor)) found.add(tensor);
        }
        return found;
    }

    /// Returns Python's names of all parameters; for a tied weight, only the first name.
    private List<String> parameterNames() {
        return state.keySet().stream()
                .filter(name -> isParameter(name) && !isAlias(name))
                .toList();
    }

    private boolean isParameter(String name) {
        StoredTensor stored = program.weights().get(name);
        return stored != null ? stored.isParameter() : adapters.containsKey(name);
    }

    /// Returns the names of the inputs, in Python's order.
    public List<String> inputNames() {
        return checks.names();
    }

    /// Returns the names of the outputs, in order; see [Outputs#names].
    public List<String> outputNames() {
        return program.outputNames();
    }

    /// Returns the file's name, for errors.
    String file() {
        return file;
    }

    /// Returns the contents of the file.
    ExportedProgram program() {
        return program;
    }

    /// Returns parameters and persistent buffers by all of Python's names; all names of a tied weight have the
    /// same tensor.
    Map<String, Tensor> state() {
        return Collections.unmodifiableMap(state);
    }

    /// @throws IllegalArgumentException if no parameter or persistent buffer has that name
    Tensor tensor(String name) {
        Tensor tensor = state.get(name);
        if (tensor == null) throw new IllegalArgumentException(file + " has no tensor " + name);
        return tensor;
    }

    /// Returns the names of tensors with several names.
    Set<String> tied() {
        Set<String> tied = new TreeSet<>();
        state.forEach((name, tensor) -> state.forEach((other, t) -> {
            if (t == tensor && !other.equals(name)) tied.add(name);
        }));
        return tied;
    }

    /// Returns the names of buffers that Python does not save, and of constants.
    Set<String> unsaved() {
        return Collections.unmodifiableSet(constants.keySet());
    }

    /// Returns whether the tensor is a parameter, and not a buffer.
    boolean isParameter(Tensor tensor) {
        return state.entrySet().stream().anyMatch(e -> e.getValue() == tensor && isParameter(e.getKey()));
    }

    boolean isExportedForEvaluation() {
        return isForEvaluation;
    }

    /// Replaces the graph by a graph with more parameters.
    ///
    /// @param parameters the added parameters, by names such as `layer.lora_A.weight`
    void setAdapters(ProgramGraph extended, ProgramSignature signature, Map<String, Tensor> parameters) {
        Map<String, Tensor> all = new HashMap<>(state);
        all.putAll(parameters);
        graph = recompiled(extended, signature, all);
        adapters.putAll(parameters);
        state.putAll(parameters);
        parameters.forEach((name, tensor) -> {
            int dot = name.lastIndexOf('.');
            module(name.substring(0, dot)).register_parameter(name.substring(dot + 1), tensor, true);
        });
    }

    /// Restores the graph of the file.
    void removeAdapters() {
        graph = recompiled(program.graph(), program.signature(), state);
        for (String name : adapters.keySet()) {
            String path = name.substring(0, name.lastIndexOf('.'));
            int dot = path.lastIndexOf('.');
            (dot < 0 ? this : module(path.substring(0, dot))).unregister_module(path.substring(dot + 1));
            modules.remove(path);
            state.remove(name);
        }
        adapters.clear();
    }

    private CompiledGraph recompiled(ProgramGraph changed, ProgramSignature signature, Map<String, Tensor> tensors) {
        try (PointerScope scope = new PointerScope()) {
            return compile(file, changed, signature, new ModeFlags(), tensors, constants);
        } catch (CheckpointException e) {
            throw new IllegalStateException(e); // the file's own graph was accepted
        }
    }

    /// Returns whether the model computes differently in train mode than in evaluation mode.
    boolean hasModes() {
        return isSwitched || !adapters.isEmpty();
    }

    /// Returns the largest size of an input's dimension for which the model was exported.
    long maxSize(String input, int dimension) {
        return checks.max(input, dimension);
    }

    /// Returns a tensor on the device of the parameters.
    Tensor onDevice(Tensor tensor) {
        return first == null ? tensor : tensor.to(first.device(), tensor.scalar_type());
    }
}
