package org.tutti.device.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.device.spi.DeviceFault.Reason;

class TableFileTest {
    private enum Call {
        OPEN,
        CLOSE
    }

    private enum MoreCalls {
        OPEN,
        CLOSE,
        READ
    }

    @Test
    void emptyCellsAreNotThere() {
        assertThat(TableFile.rows(Call.class, Call.class, "calls.tsv"))
                .isEqualTo(Map.of(
                        Call.OPEN,
                        Map.of("row", "OPEN", "c", "c_open", "arguments", "pi"),
                        Call.CLOSE,
                        Map.of("row", "CLOSE", "result", "v", "use", "optional")));
    }

    @Test
    void functionsHaveDefaults() {
        FunctionRows<Call> rows = FunctionRows.read(Call.class, "calls.tsv");
        assertThat(rows.name(Call.OPEN, "c")).isEqualTo("c_open");
        assertThat(rows.name(Call.CLOSE, "c")).isNull();
        assertThat(rows.arguments(Call.OPEN)).isEqualTo("pi");
        assertThat(rows.arguments(Call.CLOSE)).isEmpty();
        assertThat(rows.result(Call.OPEN)).isEqualTo('i');
        assertThat(rows.result(Call.CLOSE)).isEqualTo('v');
        assertThat(rows.isOptional(Call.OPEN)).isFalse();
        assertThat(rows.isOptional(Call.CLOSE)).isTrue();
    }

    @Test
    void everyConstantHasOneLine() {
        assertThatThrownBy(() -> TableFile.rows(MoreCalls.class, MoreCalls.class, "calls.tsv"))
                .hasMessage("calls.tsv: no line for READ");
        assertThatThrownBy(() -> TableFile.rows(Call.class, Call.class, "calls-twice.tsv"))
                .hasMessage("calls-twice.tsv: two lines for OPEN");
    }

    @Test
    void everyLineHasAllColumns() {
        assertThatThrownBy(() -> TableFile.lines(Call.class, "calls-short.tsv"))
                .hasMessage("calls-short.tsv, line 3: 1 columns instead of 2");
        assertThatThrownBy(() -> TableFile.lines(Call.class, "none.tsv"))
                .hasMessage("table none.tsv is missing from the jar");
    }

    @Test
    void codesHaveNameReasonAndAdvice() {
        ErrorTable errors = ErrorTable.read(Call.class, "errors.tsv");
        assertThat(errors.text(-7, "c")).isEqualTo("C_LOST (-7)");
        assertThat(errors.text(2, "c")).isEqualTo("error 2");
        assertThat(errors.text(3, "c")).isEqualTo("error 3");
        assertThat(errors.reason(-7)).isEqualTo(Reason.LOST);
        assertThat(errors.reason(3)).isEqualTo(Reason.FAILED);
        assertThat(errors.advice(-7)).isEqualTo("restart it");
        assertThat(errors.advice(2)).isNull();
    }
}
