package org.tutti.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.chart.Axis.Scale;

class ChartTest {
    @TempDir
    private Path directory;

    private static List<String> labels(Ruler ruler) {
        return ruler.ticks().stream().map(ruler::label).toList();
    }

    private static Ruler across(Scale scale, double... values) {
        return Ruler.across(scale, values, 0, 100);
    }

    private static Ruler up(double... values) {
        return Ruler.up(Scale.LINEAR, values, 0, 100);
    }

    @Test
    void aHorizontalAxisHasTheRangeOfTheValuesAndRoundTicks() {
        Ruler steps = across(Scale.LINEAR, 10, 470, 50);
        assertThat(labels(steps)).containsExactly("100", "200", "300", "400");
        assertThat(steps.at(10)).isZero();
        assertThat(steps.at(470)).isEqualTo(100);
    }

    @Test
    void aVerticalAxisHasTicksAtBothLimits() {
        assertThat(labels(up(0.1, 8.1))).containsExactly("0", "2", "4", "6", "8", "10");
        assertThat(labels(up(-0.31, 0.12))).containsExactly("-0.4", "-0.3", "-0.2", "-0.1", "0.0", "0.1", "0.2");
        assertThat(labels(up(1.0001, 1.0003))).contains("1.00010", "1.00030");
    }

    @Test
    void anAxisOfOneValueOrNoneHasRoomAroundIt() {
        assertThat(labels(up(3))).contains("2.0", "4.0");
        assertThat(labels(up(0))).contains("-1.0", "1.0");
        assertThat(up().at(1)).isBetween(0.0, 100.0);
        assertThat(across(Scale.LINEAR, 7).at(7)).isZero();
        assertThat(across(Scale.LOGARITHMIC, 1).at(1)).isBetween(10.0, 90.0);
    }

    @Test
    void logarithmicAxesTickAtPowers() {
        assertThat(labels(across(Scale.LOGARITHMIC, 0.03, 4)))
                .containsExactly("0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5");
        assertThat(labels(across(Scale.BYTES, 512, 1 << 21)))
                .containsExactly("512", "2 Ki", "8 Ki", "32 Ki", "128 Ki", "512 Ki", "2 Mi");
    }

    private String svg(Axis up, int points) throws IOException {
        List<double[]> curve = new ArrayList<>(IntStream.range(0, points)
                .mapToObj(i -> new double[] {i, 1.0 / (1 + i)})
                .toList());
        curve.add(new double[] {points, Double.NaN});
        curve.add(new double[] {points, -1});
        Path file = directory.resolve("curve.svg");
        new Chart("loss <1>", "2 ranks", Axis.linear("step"), up, List.of(new Chart.Series("loss", curve))).write(file);
        return Files.readString(file);
    }

    private static long count(String what, String in) {
        return Pattern.compile(what).matcher(in).results().count();
    }

    @Test
    void fewPointsAreMarkedAndManyAreNot() throws IOException {
        // the last point is shown only on a linear axis, and the legend has a mark, too
        assertThat(count("<circle", svg(Axis.linear("loss"), 10))).isEqualTo(12);
        assertThat(count("<circle", svg(Axis.logarithmic("loss"), 10))).isEqualTo(11);
        assertThat(count("<circle", svg(Axis.logarithmic("loss"), 100))).isZero();
        assertThat(svg(Axis.linear("loss"), 100))
                .contains("loss &lt;1&gt;", ">step<")
                .doesNotContain("NaN");
    }

    @Test
    void namesEndInSvgOrPng() {
        assertThat(Chart.canDraw(Path.of("a.svg"))).isTrue();
        assertThat(Chart.canDraw(Path.of("dir", "A.PNG"))).isTrue();
        assertThat(Chart.canDraw(Path.of("a.pdf"))).isFalse();
    }

    @Test
    void aFileThatCannotBeWrittenIsNamed() {
        Chart chart = new Chart("", "", Axis.linear(""), Axis.linear(""), List.of());
        assertThatThrownBy(() -> chart.write(directory.resolve("none/a.svg")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("none/a.svg");
    }
}
