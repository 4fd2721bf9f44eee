package org.tutti.train.torch.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.torch.tensor.LibTorch;
import org.tutti.train.torch.tensor.Tensors;

/// Adapters that Python's peft has initialized and trained: `src/test/python/lora.py`.
class LoraTest {
    private static final Path FILES = Path.of("src/test/resources/org/tutti/train/torch/graph");
    private static final int STEPS = 20, SEED = 7;
    private static final double CLOSE = 1e-6;

    @TempDir
    Path dir;

    @BeforeAll
    static void libtorch() {
        new LibTorch().prepare(OptionalInt.of(1));
    }

    private static GraphModel model(String name) throws IOException {
        return GraphModel.read(FILES.resolve(name + ".pt2"));
    }

    private static Path peft(String name) {
        return FILES.resolve("lora").resolve(name);
    }

    /// Returns all numbers of a file, as floats.
    private static Map<String, float[]> numbers(Path file) throws IOException {
        Map<String, float[]> all = new LinkedHashMap<>();
        try (Arena arena = Arena.ofConfined()) {
            for (org.tutti.train.model.Tensor t : Safetensors.read(file, arena).tensors()) {
                all.put(t.name(), t.data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED));
            }
        }
        return all;
    }

    /// Returns the inputs of the fixture.
    private static Map<String, Tensor> inputs(GraphModel model, String name) throws IOException {
        Map<String, Tensor> inputs = new HashMap<>();
        try (Arena arena = Arena.ofConfined()) {
            Safetensors file = Safetensors.read(FILES.resolve(name + ".safetensors"), arena);
            for (String input : model.inputNames()) {
                org.tutti.train.model.Tensor t = file.tensor("in." + input);
                long[] shape = t.spec().shape().stream().mapToLong(d -> d).toArray();
                inputs.put(
                        input, Tensors.over(t.data(), t.spec().dtype(), shape).clone());
            }
        }
        return inputs;
    }

    /// Returns the losses of steps with AdamW.
    private static float[] train(GraphModel model, Lora lora, String name) throws IOException {
        float[] losses = new float[STEPS];
        try (PointerScope scope = new PointerScope()) {
            Map<String, Tensor> inputs = inputs(model, name);
            AdamW optimizer = new AdamW(lora.parameters(), new AdamWOptions(1e-3));
            for (int i = 0; i < STEPS; i++) {
                optimizer.zero_grad();
                torch.manual_seed(SEED);
                Tensor loss = model.run(inputs).get("loss");
                loss.backward();
                optimizer.step();
                losses[i] = loss.item_float();
            }
        }
        return losses;
    }

    private static float[] logits(GraphModel model, String name) throws IOException {
        try (PointerScope scope = new PointerScope();
                NoGradGuard noGradients = new NoGradGuard()) {
            model.eval();
            Tensor logits = model.run(inputs(model, name)).get("logits");
            return Tensors.memory(logits.contiguous()).toArray(ValueLayout.JAVA_FLOAT);
        }
    }

    private static void assertClose(Map<String, float[]> found, Map<String, float[]> expected) {
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        expected.forEach((name, numbers) ->
                assertThat(found.get(name)).as(name).containsExactly(numbers, within((float) CLOSE)));
    }

    private void equalsPeft(String name) throws IOException {
        Map<String, float[]> figures = numbers(peft(name).resolve("losses.safetensors"));
        GraphModel model = model(name);
        Lora lora = Lora.read(model, peft(name).resolve("before"));
        float[] losses = train(model, lora, name);
        for (int i = 0; i < STEPS; i++) {
            assertThat(losses[i]).as("step %d", i).isCloseTo(figures.get("loss." + i)[0], within((float) CLOSE));
        }
        lora.save(dir.resolve(name));
        Path after = peft(name).resolve("after");
        assertClose(
                numbers(dir.resolve(name).resolve("adapter_model.safetensors")),
                numbers(after.resolve("adapter_model.safetensors")));
        assertThat(dir.resolve(name).resolve("adapter_config.json"))
                .hasSameBinaryContentAs(peft(name).resolve("before/adapter_config.json"));
        float[] unmerged = logits(model, name);
        lora.merge();
        assertThat(logits(model, name))
                .as("merged")
                .containsExactly(figures.get("logits"), within((float) CLOSE))
                .containsExactly(unmerged, within((float) CLOSE));
        assertThat(model.named_parameters().keys().size())
                .isEqualTo(model(name).named_parameters().keys().size());
    }

    @Test
    void transposedLayersEqualPeft() throws IOException {
        equalsPeft("gpt2");
    }

    @Test
    void dropoutAndWholeModulesEqualPeft() throws IOException {
        equalsPeft("llama");
    }

    @Test
    void ranksAndAlphasOfLayersEqualPeft() throws IOException {
        equalsPeft("bert");
    }

    @Test
    void modelsThatPeftHasExportedTrain() throws IOException {
        Map<String, float[]> figures = numbers(peft("gpt2").resolve("losses.safetensors"));
        GraphModel model = GraphModel.read(peft("gpt2").resolve("peft.pt2"));
        Lora lora = Lora.read(model, peft("gpt2").resolve("before"));
        float[] losses = train(model, lora, "gpt2");
        for (int i = 0; i < STEPS; i++) {
            assertThat(losses[i]).as("step %d", i).isCloseTo(figures.get("loss." + i)[0], within((float) CLOSE));
        }
        lora.save(dir);
        assertClose(
                numbers(dir.resolve("adapter_model.safetensors")),
                numbers(peft("gpt2").resolve("after/adapter_model.safetensors")));
        assertThatThrownBy(lora::merge)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("merge: peft.pt2 was exported with adapters; call save(), and merge in Python with"
                        + " merge_and_unload(), or export the model without adapters");
    }

    @Test
    void newAdaptersDoNotChangeTheOutputsAtFirst() throws IOException {
        GraphModel model = model("llama");
        float[] before = logits(model, "llama");
        torch.manual_seed(1);
        Lora lora = Lora.on(model)
                .rank(4)
                .alpha(16)
                .modulesToSave("lm_head")
                .task("CAUSAL_LM")
                .targets("q_proj", "mlp.up_proj");
        assertThat(logits(model, "llama")).containsExactly(before);
        assertThat(lora.parameters().size()).isEqualTo(9);
        lora.save(dir.resolve("new"));
        Map<String, float[]> saved = numbers(dir.resolve("new/adapter_model.safetensors"));
        float[] a = saved.get("base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight");
        assertThat(a).hasSize(4 * 16).doesNotContain(0);
        double squares = 0;
        for (float f : a) squares += f * f;
        assertThat(squares / a.length).as("variance").isBetween(0.5 / 48, 1.5 / 48);
        assertThat(saved.get("base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight"))
                .containsOnly(0);
        assertThat(Files.readString(dir.resolve("new/adapter_config.json")))
                .contains("\"r\" : 4", "\"lora_alpha\" : 16,", "\"CAUSAL_LM\"", "[ \"q_proj\", \"mlp.up_proj\" ]");
        model.train(true);
        float[] losses = train(model, lora, "llama");
        assertThat(losses[STEPS - 1]).isLessThan(losses[0] - 0.1f);
        lora.save(dir.resolve("new"));
        GraphModel again = model("llama");
        Lora.read(again, dir.resolve("new"));
        assertThat(logits(again, "llama")).containsExactly(logits(model, "llama"));
    }

    @Test
    void adaptersOfShortTypesAreF32() throws IOException {
        GraphModel model = model("mlp");
        model.to(ScalarType.BFloat16, false);
        Lora lora = Lora.on(model).rank(4).targets("net.0", "net.5");
        TensorVector parameters = lora.parameters();
        for (long i = 0; i < parameters.size(); i++) {
            assertThat(parameters.get(i).scalar_type().intern()).isEqualTo(ScalarType.Float);
        }
        float[] losses = new float[2];
        try (PointerScope scope = new PointerScope()) {
            Map<String, Tensor> inputs = inputs(model, "mlp");
            inputs.computeIfPresent("x", (_, x) -> x.to(ScalarType.BFloat16));
            AdamW optimizer = new AdamW(parameters, new AdamWOptions(1e-2));
            for (int i = 0; i < STEPS; i++) {
                optimizer.zero_grad();
                Outputs outputs = model.run(inputs);
                assertThat(outputs.get("logits").scalar_type().intern()).isEqualTo(ScalarType.BFloat16);
                outputs.get("loss").backward();
                optimizer.step();
                losses[i == 0 ? 0 : 1] =
                        outputs.get("loss").to(ScalarType.Float).item_float();
            }
            assertThat(losses[1]).isLessThan(losses[0] - 0.05f);
            float before = model.run(inputs).get("loss").to(ScalarType.Float).item_float();
            lora.merge();
            assertThat(model.run(inputs).get("loss").to(ScalarType.Float).item_float())
                    .isCloseTo(before, within(0.01f));
        }
    }

    @Test
    void layersWithoutAnAdapterAreNamed() throws IOException {
        GraphModel gpt = model("gpt2");
        assertThatThrownBy(() -> Lora.on(gpt).targets("q_proj"))
                .isInstanceOf(TrainingException.class)
                .hasMessage("gpt2.pt2 has no linear layer q_proj; targets can be c_attn, c_fc, c_proj");
        assertThatThrownBy(() -> Lora.on(gpt).targets("lm_head"))
                .isInstanceOf(TrainingException.class)
                .hasMessage("gpt2.pt2: no adapter can be added to lm_head: lm_head.weight is tied to a second"
                        + " parameter");
        assertThatThrownBy(() -> Lora.on(gpt).targets("wpe"))
                .isInstanceOf(TrainingException.class)
                .hasMessageStartingWith("gpt2.pt2: no adapter can be added to transformer.wpe: the weight is an operand"
                        + " of aten.embedding.default")
                .hasMessageEndingWith(", which is no linear layer");
        assertThatThrownBy(() -> Lora.on(gpt).modulesToSave("score").targets("c_attn"))
                .isInstanceOf(TrainingException.class)
                .hasMessageStartingWith(
                        "gpt2.pt2 has no module score to train; the tensors are transformer.wte.weight");
        assertThatThrownBy(() -> Lora.on(gpt).modulesToSave("lm_head").targets("c_attn"))
                .isInstanceOf(TrainingException.class)
                .hasMessage("gpt2.pt2: lm_head.weight is tied to a second parameter and cannot be trained separately");
        assertThat(gpt.parametersMatching("*").size())
                .as("no parameter is frozen")
                .isGreaterThan(10);
        Lora.on(gpt).targets("c_attn");
        assertThatThrownBy(() -> Lora.on(gpt).targets("c_fc"))
                .isInstanceOf(TrainingException.class)
                .hasMessage("gpt2.pt2 has adapters already, such as transformer.h.0.attn.c_attn.lora_A.weight; call"
                        + " merge() first, or read the file again");
        HubDirectory hub = hub();
        assertThatThrownBy(() -> hub.save(gpt, dir.resolve("out")))
                .isInstanceOf(TrainingException.class)
                .hasMessage(dir.resolve("out") + ": gpt2.pt2 has adapters, such as"
                        + " transformer.h.0.attn.c_attn.lora_A.weight; load weights before Lora.on, and save with"
                        + " Lora.save or after Lora.merge");
    }

    private HubDirectory hub() throws IOException {
        Files.writeString(dir.resolve("config.json"), "{}");
        return HubDirectory.at(dir);
    }

    @Test
    void optionsAreChecked() throws IOException {
        GraphModel gpt = model("gpt2");
        assertThatThrownBy(() -> Lora.on(gpt).rank(0)).hasMessage("rank 0; at least 1");
        assertThatThrownBy(() -> Lora.on(gpt).alpha(Double.NaN)).hasMessage("alpha NaN; it must be positive");
        assertThatThrownBy(() -> Lora.on(gpt).dropout(1)).hasMessage("dropout 1.0; from 0 to less than 1");
        assertThatThrownBy(() -> Lora.on(gpt).targets()).hasMessage("no targets; name at least one layer");
    }

    @Test
    void otherAdaptersAreRefused() throws IOException {
        GraphModel gpt = model("gpt2");
        Path before = peft("gpt2").resolve("before");
        assertThatThrownBy(() -> Lora.read(gpt, dir))
                .isInstanceOf(CheckpointException.class)
                .hasMessage(
                        dir + " has no adapter_config.json; pass a directory that save_pretrained of peft has written");
        String config = Files.readString(before.resolve("adapter_config.json"));
        Map<String, String> changes = new LinkedHashMap<>();
        changes.put(
                "\"peft_type\": \"LORA\"=\"peft_type\": \"LOHA\"",
                " is an adapter of peft_type LOHA; only LORA is supported");
        changes.put(
                "\"use_dora\": false=\"use_dora\": true", ": use_dora is true; this variant of LoRA is not supported");
        changes.put("\"bias\": \"none\"=\"bias\": \"all\"", ": bias is all; only none is supported");
        changes.put(
                "\"init_lora_weights\": true=\"init_lora_weights\": \"pissa\"",
                ": init_lora_weights is pissa, which changes the base model; convert the adapter in Python with"
                        + " save_pretrained(…, path_initial_model_for_weight_conversion=…)");
        for (Map.Entry<String, String> e : changes.entrySet()) {
            String[] change = e.getKey().split("=");
            assertThat(config).contains(change[0]);
            Files.writeString(dir.resolve("adapter_config.json"), config.replace(change[0], change[1]));
            assertThatThrownBy(() -> Lora.read(gpt, dir))
                    .isInstanceOf(CheckpointException.class)
                    .hasMessage(dir + e.getValue());
        }
        Files.writeString(dir.resolve("adapter_config.json"), config);
        assertThatThrownBy(() -> Lora.read(gpt, dir))
                .isInstanceOf(CheckpointException.class)
                .hasMessage(dir + " has no adapter_model.safetensors; save the adapter in Python with"
                        + " save_pretrained(…, safe_serialization=True)");
        Files.copy(before.resolve("adapter_model.safetensors"), dir.resolve("adapter_model.safetensors"));
        Files.writeString(dir.resolve("adapter_config.json"), config.replace("\"r\": 4", "\"r\": 5"));
        assertThatThrownBy(() -> Lora.read(gpt, dir))
                .isInstanceOf(TrainingException.class)
                .hasMessageStartingWith(dir + ": base_model.model.transformer.h.")
                .hasMessageEndingWith("F32[4, 16] does not have the 5 rows of the rank in adapter_config.json");
        Files.writeString(dir.resolve("adapter_config.json"), config.replace("\"r\": 4", "\"r\": 0"));
        assertThatThrownBy(() -> Lora.read(gpt, dir))
                .isInstanceOf(CheckpointException.class)
                .hasMessage(dir + ": r is 0.0 and lora_dropout 0.0; r must be at least 1, and lora_dropout from 0 to"
                        + " less than 1");
        assertThatThrownBy(() -> Lora.read(model("llama"), before))
                .isInstanceOf(TrainingException.class)
                .hasMessageStartingWith(before + ": llama.pt2 has no linear layer transformer.h.");
        assertThat(gpt.parametersMatching("*").size())
                .as("the model has not changed")
                .isGreaterThan(10);
        Lora lora = Lora.read(gpt, before);
        lora.merge();
        assertThatThrownBy(() -> lora.save(dir)).hasMessage("save: the adapters of gpt2.pt2 were merged");
    }
}
