package org.tutti.train.torch.graph.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.checkpoint.CheckpointException;

/// Refuses programs that are damaged, or that Tutti cannot run.
final class ExportedProgramRefusalTest {
    private static final String MODEL = EditedArchive.MODEL, WEIGHTS = EditedArchive.WEIGHTS;

    /// The argument `bias` of the first node, as it is written in the file.
    private static final String BIAS = "{\"name\": \"bias\", \"arg\": {\"as_tensor\": {\"name\": \"p_net_0_bias\"}}";

    @TempDir
    private Path directory;

    private void assertRefused(UnaryOperator<EditedArchive> edit, String message) throws IOException {
        assertRefused(edit.apply(EditedArchive.of("mlp")).stored(), message);
    }

    /// @param message without the file name at the beginning
    private void assertRefused(byte[] file, String message) throws IOException {
        Path path = EditedArchive.write(file, directory);
        try (Arena arena = Arena.ofConfined()) {
            Throwable refusal = catchThrowable(() -> ExportedProgramReader.read(path, arena));

            assertThat(refusal).isInstanceOf(CheckpointException.class);
            // a later version of the test program may have other line numbers
            assertThat(refusal.getMessage().replaceFirst("py:\\d+", "py:N")).isEqualTo(path + message);
        }
    }

    private void assertRefusedModel(String from, String to, String message) throws IOException {
        assertRefused(archive -> archive.replace(MODEL, from, to), message);
    }

    private void assertRefusedWeight(String from, String to, String message) throws IOException {
        assertRefused(archive -> archive.replace(WEIGHTS, from, to), message);
    }

    @Test
    void anotherMajorVersion() throws IOException {
        assertRefusedModel(
                "\"major\": 8",
                "\"major\": 9",
                " has version 9.20 of the format; only version 8 is supported: export the model again with PyTorch 2.6"
                        + " or newer");
    }

    @Test
    void noVersion() throws IOException {
        assertRefusedModel(
                "\"schema_version\"",
                "\"other_version\"",
                " has no version of the format; only version 8 is supported: export the model again with PyTorch 2.6 or"
                        + " newer");
    }

    @Test
    void unsupportedArgument() throws IOException {
        assertRefusedModel(
                BIAS,
                "{\"name\": \"bias\", \"arg\": {\"as_custom_obj\": {\"name\": \"x\", \"class_fqn\": \"y\"}}",
                ", node linear of torch.ops.aten.linear.default (architectures.py:N, logits = self.net(x)): an argument"
                        + " of kind as_custom_obj is not supported");
    }

    /// The target must be checked first, because later messages contain it, and a message must have one line.
    @Test
    void targetOfTwoLines() throws IOException {
        assertRefusedModel(
                "\"torch.ops.aten.relu.default\"",
                "\"one\\ntwo\"",
                ", node relu has the target one?two, which is not the name of an operator");
    }

    @Test
    void sparseLayout() throws IOException {
        assertRefusedModel(
                BIAS,
                "{\"name\": \"bias\", \"arg\": {\"as_layout\": 1}",
                ", node linear of torch.ops.aten.linear.default (architectures.py:N, logits = self.net(x)): the tensor"
                        + " layout SparseCoo is not supported, only strided tensors");
    }

    @Test
    void useBeforeDefinition() throws IOException {
        assertRefusedModel(
                BIAS,
                "{\"name\": \"bias\", \"arg\": {\"as_tensor\": {\"name\": \"relu\"}}",
                ", node linear (architectures.py:N, logits = self.net(x)): the value relu is used before it is assigned");
    }

    @Test
    void secondAssignment() throws IOException {
        assertRefusedModel(
                "\"outputs\": [{\"as_tensor\": {\"name\": \"linear\"}}]",
                "\"outputs\": [{\"as_tensor\": {\"name\": \"p_net_0_bias\"}}]",
                ", node linear (architectures.py:N, logits = self.net(x)): the value p_net_0_bias is assigned twice");
    }

    @Test
    void twoKinds() throws IOException {
        assertRefusedModel(
                "{\"as_tensor\": {\"name\": \"p_net_0_bias\"}}, \"kind\"",
                "{\"as_tensor\": {\"name\": \"p_net_0_bias\"}, \"as_none\": true}, \"kind\"",
                ": mlp/models/model.json: /graph_module/graph/nodes/0/inputs/2/arg/as_none has two kinds");
    }

    @Test
    void wrongKindOfJson() throws IOException {
        assertRefusedModel(
                "\"major\": 8",
                "\"major\": \"8\"",
                ": mlp/models/model.json: /schema_version/major must be an integer");
    }

    @Test
    void tooLargeInteger() throws IOException {
        assertRefusedModel(
                "\"minor\": 20",
                "\"minor\": 99999999999999999999",
                ": mlp/models/model.json: /schema_version/minor is beyond the integers of 64 bits");
    }

    @Test
    void cutJson() throws IOException {
        assertRefused(
                archive -> archive.with(MODEL, archive.text(MODEL).substring(0, 1_000)),
                ": mlp/models/model.json is not valid JSON: Unexpected end-of-input within/between Object entries");
    }

    @Test
    void nestedJson() throws IOException {
        assertRefusedModel(
                "{",
                "{\"new\": " + "[".repeat(100) + "]".repeat(100) + ", ",
                ": mlp/models/model.json is not valid JSON: Document nesting depth (65) exceeds the maximum allowed (64,"
                        + " from `StreamReadConstraints.getMaxNestingDepth()`)");
    }

    @Test
    void inputThatIsWrittenTo() throws IOException {
        assertRefusedModel(
                "{\"user_output\": {\"arg\":",
                "{\"user_input_mutation\": {\"arg\":",
                ": an output of kind user_input_mutation is not supported: the model writes to an input; let forward copy"
                        + " the input first");
    }

    @Test
    void inputThatDiffersFromTheSignature() throws IOException {
        assertRefusedModel(
                "{\"parameter\": {\"arg\": {\"name\": \"p_net_0_weight\"}",
                "{\"parameter\": {\"arg\": {\"name\": \"p_net_0_bias\"}",
                ": input 0 of the graph is p_net_0_weight, and in the signature p_net_0_bias");
    }

    @Test
    void parameterWithoutTensor() throws IOException {
        assertRefusedWeight("\"net.0.bias\"", "\"net.0.other\"", ": the parameter net.0.bias is not in the file");
    }

    @Test
    void anotherNumberOfArguments() throws IOException {
        assertRefusedModel(
                "\"in_spec\": \"[1, {\\\"type\\\": \\\"builtins.tuple\\\", \\\"context\\\": \\\"null\\\", \\\"children_spec\\\": [",
                "\"in_spec\": \"[1, {\\\"type\\\": \\\"builtins.tuple\\\", \\\"context\\\": \\\"null\\\", \\\"children_spec\\\": [{\\\"type\\\": null},",
                ": the model is called with 3 values, and the signature has 2");
    }

    @Test
    void pathOutsideOfTheArchive() throws IOException {
        assertRefusedWeight(
                "\"weight_0\"",
                "\"../../../etc/passwd\"",
                ": net.0.weight is in ../../../etc/passwd, which is not the name of an entry");
    }

    @Test
    void missingStorage() throws IOException {
        assertRefusedWeight(
                "\"weight_0\"", "\"weight_99\"", ": net.0.weight is in weight_99, which the file does not have");
    }

    @Test
    void pickledWeight() throws IOException {
        assertRefusedWeight(
                "\"use_pickle\": false",
                "\"use_pickle\": true",
                ": net.0.weight is stored as a pickle, because it is an object or a subclass of Tensor");
    }

    @Test
    void complexWeight() throws IOException {
        assertRefusedWeight("\"dtype\": 7", "\"dtype\": 10", ": net.0.weight is complex64, which is not supported");
    }

    @Test
    void unknownType() throws IOException {
        assertRefusedWeight(
                "\"dtype\": 7",
                "\"dtype\": 77",
                ": data/weights/model_weights_config.json: /config/net.0.weight/tensor_meta/dtype has the unknown tensor"
                        + " type 77");
    }

    @Test
    void tensorThatLeavesItsStorage() throws IOException {
        assertRefusedWeight(
                "\"storage_offset\": {\"as_int\": 0}",
                "\"storage_offset\": {\"as_int\": 1}",
                ": net.0.weight ends at byte 516 of a storage of 512 bytes: F32 with sizes [16, 8], strides [8, 1], offset"
                        + " 1");
    }

    @Test
    void negativeStride() throws IOException {
        assertRefusedWeight(
                "\"strides\": [{\"as_int\": 8}",
                "\"strides\": [{\"as_int\": -8}",
                ": net.0.weight has a size of 16 with a stride of -8");
    }

    @Test
    void sizesThatOverflow() throws IOException {
        assertRefusedWeight(
                "\"sizes\": [{\"as_int\": 16}",
                "\"sizes\": [{\"as_int\": 9223372036854775807}",
                ": net.0.weight has more elements than 64 bits can count: F32 with sizes [9223372036854775807, 8], strides"
                        + " [8, 1], offset 0");
    }

    @Test
    void bigEndian() throws IOException {
        assertRefused(archive -> archive.with("byteorder", "big"), " has the byte order big; only little is supported");
    }

    @Test
    void twoFolders() throws IOException {
        assertRefused(
                archive -> {
                    archive.entries().put("other/x", new byte[1]);
                    return archive;
                },
                " is not an archive of PyTorch: there are entries in the folders mlp/ and other/");
    }

    @Test
    void noModel() throws IOException {
        assertRefused(
                archive -> archive.without(MODEL).with("models/other.json", "{}"),
                " has several models, and none of them is called model");
    }

    @Test
    void torchScript() throws IOException {
        assertRefused(
                EditedArchive.zip(entries("m/data.pkl", "m/code/x.py", "m/constants.pkl"), false),
                " is a TorchScript model, not an exported program: export the model with tutti_export.py");
    }

    @Test
    void stateDict() throws IOException {
        assertRefused(
                EditedArchive.zip(entries("archive/data.pkl", "archive/data/0"), false),
                " is a file of torch.save, which has tensors but no graph: export the model with tutti_export.py");
    }

    private static Map<String, byte[]> entries(String... names) {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        for (String name : names) entries.put(name, new byte[1]);
        return entries;
    }

    @Test
    void otherFormats() throws IOException {
        String export = ": export the model with tutti_export.py";
        assertRefused(new byte[0], " is empty; copy or download it again");
        assertRefused(
                new byte[] {(byte) 0x80, 2, '}'},
                " is a pickle of torch.save, which has tensors but no graph" + export);
        assertRefused(
                new byte[] {0, 0, 0, 0, 'E', 'T', '1', '2'},
                " is a program of ExecuTorch (.pte), which cannot be trained" + export);
        assertRefused(
                new byte[] {9, 0, 0, 0, 0, 0, 0, 0, '{', '}'},
                " is a safetensors file, which has tensors but no graph" + export + ", then load the tensors into it");
        assertRefused(
                "<!DOCTYPE html>\n<html>".getBytes(UTF_8),
                " is a text, not an exported program; it starts with \"<!DOCTYPE html>\"");
        assertRefused(
                "version https://git-lfs.github.com/spec/v1\n".getBytes(UTF_8),
                " is a pointer of Git LFS, not the exported program: fetch the file with git lfs pull");
        assertRefused(new byte[] {1, 2, 3}, " is not an exported program" + export);
    }
}
