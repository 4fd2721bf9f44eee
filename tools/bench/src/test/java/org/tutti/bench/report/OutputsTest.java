package org.tutti.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchArguments;
import org.tutti.bench.plan.BenchTest;
import org.w3c.dom.Document;

class OutputsTest {
    @TempDir
    private Path directory;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private static String line(String what, String... words) {
        return Report.MARK + what + Report.SEPARATOR + String.join(Report.SEPARATOR, words) + "\n";
    }

    /// Returns the result of an allreduce, as reported by rank 0.
    private Result result() {
        Result result =
                new Result(new BenchArguments(BenchTest.ALLREDUCE).options(2).getFirst(), 2);
        Screen screen = new Screen(new PrintStream(printed), new PrintStream(printed), false);
        Reader reader = new Reader(result, screen);
        String lines = line(Report.ENGINE, "shm, \"quick\"")
                + line(Report.TEXT, "# a title")
                + line(Report.NOW, "8 bytes")
                + line(Report.TABLE, "%-10d%18.2f%18.2f%18d", "bytes", "avg_us", "max_us", "wrong")
                + line(Report.ROW, "8", "0.4375", "1.25E-2", "0")
                + "a line of another program\n"
                + line(Report.ROW, "65536", "5.5", "NaN", "3");
        byte[] bytes = lines.getBytes(StandardCharsets.UTF_8);
        reader.write(bytes, 0, bytes.length);
        return result;
    }

    @Test
    void printsRowsInTheTablesFormatAndOtherLinesUnchanged() {
        result();
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("""
                        # a title
                        8                       0.44              0.01                 0
                        a line of another program
                        65536                   5.50               NaN                 3
                        """);
    }

    @Test
    void csvHasAllDigitsAndQuotesWhereItMust() throws Exception {
        Path file = directory.resolve("rows.csv");
        new OutputFiles(BenchTest.ALLREDUCE, file, null, null).write(List.of(result(), result()), "1.0");
        assertThat(Files.readAllLines(file))
                .containsExactly(
                        "test,ranks,engine,buffer,type,bytes,avg_us,max_us,wrong",
                        "allreduce,2,\"shm, \"\"quick\"\"\",heap,float,8,0.4375,0.0125,0",
                        "allreduce,2,\"shm, \"\"quick\"\"\",heap,float,65536,5.5,NaN,3",
                        "allreduce,2,\"shm, \"\"quick\"\"\",heap,float,8,0.4375,0.0125,0",
                        "allreduce,2,\"shm, \"\"quick\"\"\",heap,float,65536,5.5,NaN,3");
    }

    @Test
    void jsonIsJson() throws Exception {
        Path file = directory.resolve("rows.json");
        new OutputFiles(BenchTest.ALLREDUCE, null, file, null).write(List.of(result()), "1.0 \\ \"x\"\n");
        String text = Files.readString(file);
        assertThat(JsonCheck.end(text)).isEqualTo(text.length());
        assertThat(text)
                .contains("\"tutti\": \"1.0 \\\\ \\\"x\\\"\\u000a\"")
                .contains("{\"bytes\": 65536, \"avg_us\": 5.5, \"max_us\": null, \"wrong\": 3}");
    }

    @Test
    void aRowIsALineOfTheJsonFile() throws Exception {
        Path file = directory.resolve("rows.json");
        new OutputFiles(BenchTest.ALLREDUCE, null, file, null).write(List.of(result()), "1.0");
        assertThat(Files.readString(file).replaceAll("(\"(java|os)\": ).*", "$1\"\","))
                .isEqualTo("""
                        {
                          "tutti": "1.0",
                          "java": "",
                          "os": "",
                          "results": [
                            {
                              "test": "allreduce",
                              "ranks": 2,
                              "engine": "shm, \\"quick\\"",
                              "buffer": "heap",
                              "type": "float",
                              "rows": [
                                {"bytes": 8, "avg_us": 0.4375, "max_us": 0.0125, "wrong": 0},
                                {"bytes": 65536, "avg_us": 5.5, "max_us": null, "wrong": 3}
                              ]
                            }
                          ]
                        }
                        """);
    }

    @Test
    void anSvgIsXmlWithACurveForEachColumnOfTimes() throws Exception {
        Path file = directory.resolve("rows.svg");
        new OutputFiles(BenchTest.ALLREDUCE, null, null, file).write(List.of(result()), "1.0");
        Document document =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
        assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
        assertThat(document.getElementsByTagName("polyline").getLength())
                .as("2 curves, 2 in the legend")
                .isEqualTo(4);
        assertThat(document.getDocumentElement().getTextContent())
                .contains("allreduce, 2 ranks", "heap", "heap, max", "32 Ki", "time, µs", "shm, \"quick\"");
    }

    @Test
    void aPngIsAPictureThatIsNotWhite() throws Exception {
        Path file = directory.resolve("rows.png");
        new OutputFiles(BenchTest.ALLREDUCE, null, null, file).write(List.of(result()), "1.0");
        BufferedImage image = ImageIO.read(file.toFile());
        assertThat(image.getWidth()).isEqualTo(1920);
        int[] pixels = image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
        assertThat(java.util.Arrays.stream(pixels).distinct().count()).isGreaterThan(10);
    }

    @Test
    void anUnwritableFileIsReportedBeforeTheMeasurement() {
        assertThatThrownBy(() -> new OutputFiles(BenchTest.ALLREDUCE, null, null, Path.of("rows.pdf")))
                .hasMessage("--plot rows.pdf: give a name that ends in .svg or .png");
        Path nowhere = directory.resolve("none");
        assertThatThrownBy(() -> new OutputFiles(BenchTest.ALLREDUCE, nowhere.resolve("rows.csv"), null, null))
                .hasMessage("--csv " + nowhere.resolve("rows.csv") + ": there is no directory " + nowhere);
        assertThatThrownBy(() -> new OutputFiles(BenchTest.ALLREDUCE, null, directory, null))
                .hasMessage("--json " + directory + ": that is a directory; name a file");
        assertThatThrownBy(() -> new OutputFiles(BenchTest.HELLOWORLD, Path.of("rows.csv"), null, null))
                .hasMessage("--csv rows.csv: helloworld has no table");
    }

    @Test
    void aScreenWithoutATerminalShowsNoProgress() {
        Screen screen = new Screen(new PrintStream(printed), new PrintStream(printed), false);
        screen.now("latency");
        screen.clear();
        assertThat(printed.size()).isZero();
    }

    @Test
    void longStepsAreLinesWithoutATerminal() {
        PrintStream both = new PrintStream(printed, true, StandardCharsets.UTF_8);
        new Screen(both, both, true).step("launch 1 of 10");
        assertThat(printed.size()).isZero();
        new Screen(System.out, both, false).step("launch 1 of 10");
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("launch 1 of 10\n");
    }

    @Test
    void onATerminalProgressGivesWayToLines() {
        PrintStream both = new PrintStream(printed, true, StandardCharsets.UTF_8);
        Screen screen = new Screen(both, both, true);
        screen.now("8 bytes");
        screen.print("row");
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("\r\033[K8 bytes …\r\033[Krow\n");
    }
}
