package org.tutti.train.torch.graph;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.GeneratorOptional;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.checkpoint.DurableFile;
import org.tutti.train.checkpoint.ModelFiles;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.torch.graph.LinearLayers.Layer;
import org.tutti.train.torch.graph.LinearLayers.Product;
import org.tutti.train.torch.tensor.Fit;
import org.tutti.train.torch.tensor.Tensors;
import org.tutti.train.torch.tensor.Tensors.Named;

/// Low-rank adaptation of a model. The weights of the model are frozen. A product of two small trained matrices
/// is added to the result `y` of each chosen linear layer, which then returns `y + scale * B(A(dropout(x)))`.
/// Only these matrices, and modules chosen by [Builder#modulesToSave], have gradients. Without such modules,
/// ranks exchange about 1 % of the bytes. Files have the format of Python's `peft`.
///
///     GraphModel gpt = GraphModel.read(Path.of("gpt2.pt2"));
///     Lora lora = Lora.on(gpt).rank(8).alpha(16).dropout(0.05).targets("c_attn");
///     DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(gpt), group);
///     AdamW optimizer = new AdamW(lora.parameters(), new AdamWOptions(1e-4));
///     …                                                         // training
///     if (group.rank() == 0) lora.save(Path.of("gpt2-poems"));  // for PeftModel.from_pretrained
///
/// Load weights and convert types before this object is created, and create `TorchModel` and the optimizer after it.
///
/// @see <a href="https://arxiv.org/abs/2106.09685">Hu et al., LoRA, 2021</a>
public final class Lora {
    private static final String WEIGHTS = "adapter_model.safetensors";

    /// Prefix of all names in peft's files.
    private static final String ROOT = "base_model.model.";

    private static final String A = ".lora_A.weight", B = ".lora_B.weight";

    /// The ends of parameter names in a model of peft. In files, peft omits `default` from these names.
    private static final String EXPORTED_A = ".lora_A.default.weight", EXPORTED_B = ".lora_B.default.weight";

    private static final String EXPORTED_MODULE = ".modules_to_save.default.";

    private final GraphModel model;
    private final byte[] config;

    /// The tensors of the adapter, by the names in files.
    private final Map<String, Tensor> tensors;

    /// The layers with the added matrices; empty if the model was exported with adapters.
    private final Map<Layer, Product> products;

    private final Map<String, Tensor> matrices;
    private boolean isMerged;

    private Lora(
            GraphModel model,
            byte[] config,
            Map<String, Tensor> tensors,
            Map<Layer, Product> products,
            Map<String, Tensor> matrices) {
        this.model = model;
        this.config = config;
        this.tensors = tensors;
        this.products = products;
        this.matrices = matrices;
    }

    /// Begins the description of adapters.
    public static Builder on(GraphModel model) {
        return new Builder(model);
    }

    /// The options of adapters. The defaults are peft's: rank 8, alpha 8, no dropout.
    public static final class Builder {
        private final GraphModel model;
        private long rank = 8;
        private double alpha = 8;
        private double dropout;
        private boolean isRankStabilized;
        private List<String> wholeModules = List.of();
        private String base = "";
        private String task = "";

        private Builder(GraphModel model) {
            this.model = model;
        }

        /// Sets the number of rows of A, which is the number of columns of B.
        public Builder rank(int rank) {
            if (rank < 1) throw new IllegalArgumentException("rank " + rank + "; at least 1");
            this.rank = rank;
            return this;
        }

        /// Sets the numerator of the scale, which is `alpha / rank`.
        public Builder alpha(double alpha) {
            if (!(alpha > 0 && alpha < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("alpha " + alpha + "; it must be positive");
            }
            this.alpha = alpha;
            return this;
        }

        /// Sets the probability with which an input of A is set to zero in training.
        public Builder dropout(double probability) {
            if (!(probability >= 0 && probability < 1)) {
                throw new IllegalArgumentException("dropout " + probability + "; from 0 to less than 1");
            }
            dropout = probability;
            return this;
        }

        /// Sets the scale to `alpha / sqrt(rank)`, for large ranks (rsLoRA).
        public Builder rankStabilized() {
            isRankStabilized = true;
            return this;
        }

        /// Sets modules that are trained as a whole and saved with the adapter, such as a new `classifier`.
        ///
        /// @param names last parts of names
        public Builder modulesToSave(String... names) {
            wholeModules = List.of(names);
            return this;
        }

        /// Sets the name of the base model in the saved adapter: a name at Hugging Face, or a directory.
        public Builder base(String nameOrDirectory) {
            base = nameOrDirectory;
            return this;
        }

        /// Sets the task in the saved adapter, such as `CAUSAL_LM`. From the task, `peft` chooses a class.
        public Builder task(String type) {
            task = type;
            return this;
        }

        /// Adds adapters to the layers with these names and freezes all other parameters. A is random (Kaiming's
        /// uniform distribution, from libtorch's generator) and B is zero, so the outputs do not change
        /// at first.
        ///
        /// @param names last parts of the layers' names, such as `q_proj` or `self_attn.q_proj`
        /// @throws TrainingException if a name matches no linear layer, a layer's weight is also used
        ///     elsewhere, or the model cannot have these adapters, for example because it has adapters already
        public Lora targets(String... names) {
            if (names.length == 0) throw new IllegalArgumentException("no targets; name at least one layer");
            AdapterConfig config =
                    new AdapterConfig(rank, alpha, dropout, isRankStabilized, List.of(names), wholeModules, base, task);
            LinearLayers layers = layers(model, dropout);
            Map<Layer, Product> products = new LinkedHashMap<>();
            for (String name : names) {
                List<Layer> chosen = layers.all().stream()
                        .filter(l -> ("." + l.module()).endsWith("." + name))
                        .toList();
                if (chosen.isEmpty()) {
                    throw new TrainingException(model.file() + " has no linear layer " + name + "; targets can be "
                            + String.join(", ", layers.kinds()));
                }
                for (Layer layer : chosen) {
                    products.put(layer, product(model, layer, rank, config.scale(), dropout));
                }
            }
            boolean isTransposed = products.keySet().stream().anyMatch(Layer::isTransposed);
            byte[] text = config.text(isTransposed);
            try (PointerScope scope = new PointerScope();
                    NoGradGuard noGradients = new NoGradGuard()) {
                Map<String, Tensor> whole = whole(model, wholeModules);
                Map<String, Tensor> matrices = matrices(model, products, true);
                return add(model, text, whole, products, layers, matrices);
            }
        }
    }

    private static LinearLayers layers(GraphModel model, double dropout) {
        if (dropout > 0 && model.isExportedForEvaluation()) {
            throw new TrainingException(
                    model.file() + " was exported with eval() and has no train mode, in which" + " dropout " + dropout
                            + " would act; export the model with train=True of tutti_export, or use no dropout");
        }
        if (!model.program().isTraining()) {
            throw new TrainingException(model.file() + " was exported with run_decompositions(), which replaces linear"
                    + " layers; save the result of torch.export.export");
        }
        for (String name : model.state().keySet()) {
            if (!name.endsWith(A) && !name.endsWith(EXPORTED_A)) continue;
            throw new TrainingException(model.file() + " has adapters already, such as " + name
                    + "; call merge() first, or read the file again");
        }
        return new LinearLayers(model.program().graph(), model.program().signature(), model.tied());
    }

    private static Product product(GraphModel model, Layer layer, long rank, double scale, double dropout) {
        if (layer.problem() != null) {
            throw new TrainingException(
                    model.file() + ": no adapter can be added to " + layer.module() + ": " + layer.problem());
        }
        boolean isF32 = model.tensor(layer.weight()).element_size() < Float.BYTES;
        return new Product(layer.module() + A, layer.module() + B, rank, scale, dropout, isF32);
    }

    /// Creates the matrices of all layers, by parameter name.
    private static Map<String, Tensor> matrices(GraphModel model, Map<Layer, Product> products, boolean isRandom) {
        Map<String, Tensor> matrices = new LinkedHashMap<>();
        products.forEach((layer, product) -> {
            Tensor weight = model.tensor(layer.weight());
            long inputs = weight.size(layer.isTransposed() ? 0 : 1),
                    outputs = weight.size(layer.isTransposed() ? 1 : 0);
            TensorOptions options = weight.options();
            if (product.isF32()) options = options.dtype(new ScalarTypeOptional(ScalarType.Float));
            Tensor a = torch.zeros(new long[] {product.rank(), inputs}, options);
            if (isRandom) {
                double bound = 1 / Math.sqrt(inputs); // Kaiming's, with the slope of PyTorch's linear layers
                a.uniform_(-bound, bound, new GeneratorOptional());
            }
            matrices.put(product.a(), a);
            matrices.put(product.b(), torch.zeros(new long[] {outputs, product.rank()}, options));
        });
        matrices.values().forEach(Tensor::retainReference);
        return matrices;
    }

    /// Returns the tensors of modules that are trained as a whole, by tensor name.
    private static Map<String, Tensor> whole(GraphModel model, List<String> modules) {
        Map<String, Tensor> whole = new LinkedHashMap<>();
        for (String module : modules) {
            int before = whole.size();
            model.state().forEach((name, tensor) -> {
                if (("." + name).contains("." + module + ".")) whole.put(name, tensor);
            });
            if (whole.size() == before) {
                throw new TrainingException(model.file() + " has no module " + module + " to train; the tensors are "
                        + Fit.some(List.copyOf(model.state().keySet())));
            }
        }
        return requireNotTied(model, whole);
    }

    private static Map<String, Tensor> requireNotTied(GraphModel model, Map<String, Tensor> whole) {
        Set<String> tied = model.tied();
        for (String name : whole.keySet()) {
            if (!tied.contains(name)) continue;
            throw new TrainingException(model.file() + ": " + name + " is tied to a second parameter and cannot be"
                    + " trained separately");
        }
        return whole;
    }

    private static Lora add(
            GraphModel model,
            byte[] config,
            Map<String, Tensor> whole,
            Map<Layer, Product> products,
            LinearLayers layers,
            Map<String, Tensor> matrices) {
        LinearLayers.Rewritten rewritten = layers.with(products);
        model.setAdapters(rewritten.graph(), rewritten.signature(), matrices);
        Map<String, Tensor> tensors = new TreeMap<>();
        matrices.forEach((name, t) -> tensors.put(ROOT + name, t));
        whole.forEach((name, t) -> tensors.put(ROOT + name, t));
        trainOnly(model, tensors);
        return new Lora(model, config, tensors, products, matrices);
    }

    private static void trainOnly(GraphModel model, Map<String, Tensor> trained) {
        model.freeze("*");
        for (Tensor t : trained.values()) if (t.is_floating_point() && model.isParameter(t)) t.set_requires_grad(true);
    }

    /// Reads an adapter that this class or Python's `peft` has saved. If the model was exported with adapters,
    /// they get the values of the file; otherwise, the adapter is added to the model. All other parameters are
    /// frozen.
    ///
    /// @throws CheckpointException if a file is damaged, or the adapter is not LoRA
    /// @throws TrainingException if the adapter does not fit the model; then the model has not changed
    public static Lora read(GraphModel model, Path directory) throws IOException {
        AdapterConfig.ReadAdapter stored = AdapterConfig.read(directory);
        Path file = directory.resolve(WEIGHTS);
        if (!Files.exists(file)) {
            throw new CheckpointException(directory + " has no " + WEIGHTS + "; save the adapter in Python with"
                    + " save_pretrained(…, safe_serialization=True)");
        }
        try (Arena arena = Arena.ofConfined();
                PointerScope scope = new PointerScope();
                NoGradGuard noGradients = new NoGradGuard()) {
            Safetensors weights = ModelFiles.read(file, arena);
            boolean isExported = model.state().keySet().stream().anyMatch(n -> n.endsWith(EXPORTED_A));
            return isExported ? fillExported(model, stored, weights) : addRead(model, stored, weights);
        } catch (TrainingException e) {
            throw new TrainingException(directory + ": " + e.getMessage(), e);
        }
    }

    private static Lora addRead(GraphModel model, AdapterConfig.ReadAdapter stored, Safetensors weights) {
        LinearLayers layers = layers(model, stored.config().dropout());
        Map<Layer, Product> products = new LinkedHashMap<>();
        Map<String, Tensor> whole = new LinkedHashMap<>();
        for (org.tutti.train.model.Tensor t : weights.tensors()) {
            String name = t.name().startsWith(ROOT) ? t.name().substring(ROOT.length()) : "";
            if (name.endsWith(B)) continue;
            if (name.endsWith(A)) {
                String module = name.substring(0, name.length() - A.length());
                Layer layer = layers.find(module);
                if (layer == null) throw new TrainingException(model.file() + " has no linear layer " + module);
                requireRank(t.spec(), stored.rank(module));
                products.put(
                        layer,
                        product(
                                model,
                                layer,
                                stored.rank(module),
                                stored.scale(module),
                                stored.config().dropout()));
            } else if (model.state().containsKey(name)) {
                whole.put(name, model.tensor(name));
            } else {
                throw new TrainingException(model.file() + " has no tensor for " + t.name());
            }
        }
        requireNotTied(model, whole);
        Map<String, Tensor> matrices = matrices(model, products, false);
        Map<String, Tensor> filled = new HashMap<>(whole);
        filled.putAll(matrices);
        fill(weights, filled);
        return add(model, stored.json().text(), whole, products, layers, matrices);
    }

    /// Checks the shape in the file before memory is allocated, because the rank in the configuration may be
    /// any number.
    private static void requireRank(TensorSpec a, long rank) {
        if (a.shape().size() == 2 && a.shape().getFirst() == rank) return;
        throw new TrainingException(a + " does not have the " + rank + " rows of the rank in " + AdapterConfig.FILE);
    }

    private static Lora fillExported(GraphModel model, AdapterConfig.ReadAdapter stored, Safetensors weights) {
        Map<String, Tensor> tensors = new TreeMap<>();
        model.state().forEach((name, tensor) -> {
            String inFile = name.replace(EXPORTED_A, A).replace(EXPORTED_B, B).replace(EXPORTED_MODULE, ".");
            if (!inFile.equals(name)) tensors.put(inFile, tensor);
        });
        Map<String, Tensor> withoutRoot = new HashMap<>();
        tensors.forEach((name, t) -> withoutRoot.put(name.substring(ROOT.length()), t));
        fill(weights, withoutRoot);
        trainOnly(model, tensors);
        return new Lora(model, stored.json().text(), tensors, Map.of(), Map.of());
    }

    private static void fill(Safetensors weights, Map<String, Tensor> tensors) {
        List<Named> named = new ArrayList<>();
        tensors.forEach((name, t) -> named.add(new Named(ROOT + name, t)));
        Fit.of(weights, named, false).fill();
    }

    /// Returns the trained parameters, for an optimizer.
    public TensorVector parameters() {
        TensorVector trained = new TensorVector();
        for (Tensor t : tensors.values()) if (t.requires_grad()) trained.push_back(t);
        return trained;
    }

    /// Writes `adapter_model.safetensors` and `adapter_config.json`, which Python's `PeftModel.from_pretrained` reads.
    /// Call it on one rank.
    ///
    /// @param directory is created if necessary
    /// @throws IllegalStateException if the adapters were merged
    public void save(Path directory) throws IOException {
        requireNotMerged("save");
        Files.createDirectories(directory);
        try (PointerScope scope = new PointerScope()) {
            List<org.tutti.train.model.Tensor> stored = new ArrayList<>();
            tensors.forEach(
                    (name, t) -> stored.add(Tensors.shared(name, t.detach().contiguous())));
            Safetensors file = new Safetensors(stored, Map.of("format", "pt"));
            DurableFile.write(directory.resolve(WEIGHTS), channel -> {
                file.write(channel);
                return channel.position();
            });
        }
        DurableFile.write(directory.resolve(AdapterConfig.FILE), config);
    }

    /// Adds the products to the weights and removes the adapters, so that the model has Python's names again and can
    /// be saved with [HubDirectory#save]. Training cannot be continued.
    ///
    /// @throws IllegalStateException if the adapters were merged before, or the file was exported with adapters
    public void merge() {
        requireNotMerged("merge");
        if (products.isEmpty()) {
            throw new IllegalStateException("merge: " + model.file() + " was exported with adapters; call save(), and"
                    + " merge in Python with merge_and_unload(), or export the model without adapters");
        }
        try (PointerScope scope = new PointerScope();
                NoGradGuard noGradients = new NoGradGuard()) {
            products.forEach((layer, product) -> {
                Tensor a = matrix(product.a()), b = matrix(product.b()), weight = model.tensor(layer.weight());
                Tensor delta = b.matmul(a).mul(new Scalar(product.scale()));
                if (layer.isTransposed()) delta = delta.t();
                weight.copy_(weight.to(delta.scalar_type()).add(delta));
            });
            model.removeAdapters();
        }
        isMerged = true;
    }

    private Tensor matrix(String name) {
        Tensor matrix = matrices.get(name);
        if (matrix == null) throw new IllegalStateException("no matrix " + name);
        return matrix;
    }

    private void requireNotMerged(String operation) {
        if (isMerged) throw new IllegalStateException(operation + ": the adapters of " + model.file() + " were merged");
    }
}
