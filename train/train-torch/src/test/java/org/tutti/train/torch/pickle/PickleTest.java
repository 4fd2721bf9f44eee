package org.tutti.train.torch.pickle;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Reads pickles of tensors, and refuses other pickles. Opcodes are one character each.
final class PickleTest {
    private static final String STORAGE =
            "(" + text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "K\u0006tQ";
    private static final String HOOKS = "ccollections\nOrderedDict\n)R";
    private static final String TENSOR = "ctorch._utils\n_rebuild_tensor_v2\n(" + STORAGE
            + "K\u0002K\u0003K\u0001\u0086K\u0001K\u0001\u0086\u0089" + HOOKS + "tR";

    private static String text(String text) {
        return "X" + (char) text.length() + "\0\0\0" + text;
    }

    private static Map<String, Pickle.Saved> read(String pickle) {
        return Pickle.readTensors(pickle.getBytes(ISO_8859_1));
    }

    private static void assertRefused(String pickle, String message) {
        assertThatThrownBy(() -> read(pickle))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void readsTensorsAndParameters() {
        String parameter = "ctorch._utils\n_rebuild_parameter\n" + TENSOR + "\u0088" + HOOKS + "\u0087R";
        Pickle.Stored stored = new Pickle.Stored("FloatStorage", "0", 2, List.of(3L, 1L), List.of(1L, 1L));

        assertThat(read("\u0080\u0002}(" + text("a") + TENSOR + text("b") + parameter + "u."))
                .isEqualTo(
                        Map.of("a", new Pickle.Saved(stored, false, false), "b", new Pickle.Saved(stored, true, true)));
    }

    @Test
    void otherFunctionsAreRefused() {
        assertRefused("cos\nsystem\n(" + text("ls") + "tR.", "uses os.system of Python; only tensors are read");
        assertRefused("cbuiltins\neval\n.", "uses builtins.eval of Python; only tensors are read");
        assertRefused("ctorch\nload\n" + text("x") + "\u0085R.", "calls torch load; only tensors are read");
    }

    @Test
    void objectsAreRefused() {
        assertRefused("ctorch\nFloatStorage\n)\u0081.", "has an object of a class; only tensors are read");
        assertRefused("}}b.", "has an object of a class; only tensors are read");
    }

    @Test
    void otherValuesAreRefused() {
        assertRefused("K\u0001.", "is not a dictionary of tensors");
        assertRefused("}(" + text("a") + "K\u0001u.", "a is not a tensor");
        assertRefused("}(K\u0001" + TENSOR + "u.", "has a tensor without a name");
    }

    /// The hash of a list that contains itself would not terminate.
    @Test
    void aListAsKeyIsRefused() {
        assertRefused("}]q\0h\0aK\u0001s.", "has a dictionary with a key that is neither a text nor an integer");
    }

    @Test
    void deepStacksAreRefused() {
        assertRefused("]".repeat(200_000) + ".", "is nested too deeply");
    }

    @Test
    void largePicklesAreRefused() {
        assertRefused("N".repeat(5 << 20), "has 5242880 bytes; at most 4194304 are read");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "X\u00ff\u00ff\u00ff\u00ff",
                "X\u00ff\u00ff\u00ff\u007f",
                "t.",
                "R.",
                "h\u0005.",
                "}(K\u0001u.",
                "cx"
            })
    void damagedPicklesAreRefused(String pickle) {
        assertThatThrownBy(() -> read(pickle)).isInstanceOf(IllegalArgumentException.class);
    }
}
