package org.tutti.train.torch.graph.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Rewrites expressions of SymPy as arithmetic.
final class SymbolicTextTest {
    private static final String S = "Symbol('s1', positive=True, integer=True)";

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "$; s1",
                "Mul(Integer(2), $); 2*s1",
                "Add(Mul(Integer(4), $), Integer(-1)); 4*s1 + (-1)",
                "Mul(Integer(3), Add($, Integer(1))); 3*(s1 + 1)",
                "FloorDiv(Add($, Integer(1)), Integer(2)); (s1 + 1)//2",
                "Mod($, Integer(8)); s1%8",
                "Pow($, Integer(2)); s1*s1",
                "Pow(Add($, Integer(1)), Integer(2)); Pow(s1 + 1, 2)",
                "Max(Integer(1), $); Max(1, s1)",
                "s0 + 2*s1; s0 + 2*s1",
                "s0 - (s1 + 1)*3; s0 - (s1 + 1)*3",
                "s0**2//2; s0*s0//2",
                "Min(s0, 2*s1) % 4; Min(s0, 2*s1)%4"
            })
    void rewrites(String srepr, String expected) {
        assertThat(SymbolicText.of(srepr.replace("$", S))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {"Float('0.5', precision=53)", "s0 <= 3", "Mul(", "Symbol('s1'", "(s0", "s0 +", "''"})
    void leavesOtherTexts(String text) {
        assertThat(SymbolicText.of(text)).isEqualTo(text);
    }

    @Test
    void leavesDeepExpressions() {
        String deep = "Max(".repeat(100) + "1" + ")".repeat(100);

        assertThat(SymbolicText.of(deep)).isEqualTo(deep);
    }
}
