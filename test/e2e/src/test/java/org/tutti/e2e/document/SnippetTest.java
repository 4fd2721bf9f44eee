package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.mpi.AttributeKey;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Cartesian;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Direction;
import org.tutti.mpi.DistGraph;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Graph;
import org.tutti.mpi.Group;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.Launch;
import org.tutti.mpi.Matrix;
import org.tutti.mpi.Message;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.ObjectRequest;
import org.tutti.mpi.ObjectType;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Packer;
import org.tutti.mpi.PartitionedReceive;
import org.tutti.mpi.PartitionedSend;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Port;
import org.tutti.mpi.Received;
import org.tutti.mpi.Records;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Session;
import org.tutti.mpi.Status;
import org.tutti.mpi.Unpacker;
import org.tutti.mpi.Window;
import org.tutti.mpi.WindowTarget;

/// Java code in the documents compiles, and the names in tables exist.
class SnippetTest extends JobTest {
    /// The imports are on one line, so that the lines of a snippet keep the line numbers of the page.
    private static final String IMPORTS = "import static org.tutti.mpi.Buf.buf; import java.nio.*;"
            + " import java.util.stream.*; import org.tutti.mpi.*;";

    /// The imports of a snippet with test methods.
    private static final String JUNIT_IMPORTS =
            " import org.tutti.junit.RanksTest; import static org.junit.jupiter.api.Assertions.*;";

    /// Text after a snippet with test methods: the program of `tutti init`, which the tests call.
    private static final String PROGRAM_UNDER_TEST =
            "\nclass Main { static native double pi(Comm world, int intervals); } void main() {}";

    /// The code before a snippet without `main`.
    private static final String MAIN = " void main(String[] args) throws Exception { try (Mpi mpi = Mpi.init()) {"
            + " Comm world = mpi.world(); int me = world.rank(), n = world.size(); ";

    /// The line at which the snippets that follow a program are inserted, if the program uses one of the
    /// modules below.
    private static final String DOTS = "// …";

    private static final List<String> OTHER_MODULES =
            List.of("org.tutti.train", "org.tutti.device", "org.tutti.futures", "org.tutti.serve");

    /// The code before a snippet that creates ranks as threads.
    private static final String BARE_MAIN = " void main() {{ ";

    /// The types in which names are searched.
    private static final List<Class<?>> PUBLIC = List.of(
            Mpi.class,
            MpiFile.class,
            Port.class,
            Session.class,
            Launch.class,
            Comm.class,
            OwnedComm.class,
            Intercomm.class,
            Cartesian.class,
            Graph.class,
            DistGraph.class,
            Direction.class,
            Group.class,
            AttributeKey.class,
            Message.class,
            Status.class,
            Received.class,
            ObjectType.class,
            Request.class,
            Requests.class,
            PersistentRequest.class,
            ObjectRequest.class,
            PartitionedSend.class,
            PartitionedReceive.class,
            Buf.class,
            Datatype.class,
            Matrix.class,
            Packer.class,
            Records.class,
            Unpacker.class,
            Window.class,
            WindowTarget.class,
            Op.class,
            MpiException.class,
            ErrorClass.class);

    @Test
    void everyJavaSnippetCompiles() throws Exception {
        compile(
                List.of(
                        "README.md",
                        "docs/install.md",
                        "docs/tour.md",
                        "docs/tutorial.md",
                        "docs/from-mpi4py.md",
                        "docs/from-djl.md",
                        "docs/devices.md",
                        "docs/from-cupy.md",
                        "docs/applications.md",
                        "docs/futures.md",
                        "docs/service.md"),
                String.join(File.pathSeparator, Checkout.EXTRA_CLASS_PATH)
                        + File.pathSeparator
                        + Checkout.classes("tutti-junit"));
    }

    @Test
    @Tag("ci")
    void everySnippetWithTensorsOfLibtorchCompiles() throws Exception {
        Way.need(Checkout.isPackaged(), "the adapter to libtorch is copied to target/lib only by package");
        compile(
                List.of(
                        "docs/training.md",
                        "docs/models-from-python.md",
                        "docs/from-pytorch.md",
                        "docs/from-horovod.md"),
                Checkout.module("tutti-train-torch").resolve("target/lib/*").toString());
    }

    private static void compile(List<String> documents, String libraries) throws Exception {
        Path where = Checkout.scratch("snippets");
        List<String> javac = new ArrayList<>(List.of(
                Path.of(Checkout.java()).resolveSibling("javac").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-proc:none",
                "-cp",
                Checkout.classPathText() + File.pathSeparator + libraries,
                "-d",
                "classes"));
        for (String document : documents) javac.addAll(write(document, where));
        ProcessOutcome ended = Command.of(javac).in(where).run();
        assertThat(ended.code())
                .as("%s; file names and line numbers refer to the document", ended)
                .isZero();
    }

    /// Writes one source file for each snippet, and returns the file names.
    private static List<String> write(String document, Path where) throws IOException {
        List<String> lines = Files.readAllLines(Checkout.ROOT.resolve(document));
        String prefix = document.replaceAll("\\W", "_");
        List<String> names = new ArrayList<>();
        String before = IMPORTS + MAIN, after = "}}";
        for (int i = 0; i < lines.size(); i++) {
            if (!lines.get(i).equals("```java")) continue;
            int end = lines.subList(i, lines.size()).indexOf("```") + i;
            List<String> own = lines.subList(i + 1, end);
            String text = String.join("\n", own);
            if (text.contains("@RanksTest")) text = IMPORTS + JUNIT_IMPORTS + "\n" + text + PROGRAM_UNDER_TEST;
            else if (text.contains("Tutti.local(")) text = IMPORTS + BARE_MAIN + "\n" + text + "\n}}";
            else if (!text.contains("void main(")) text = before + "\n" + text + "\n" + after;
            else {
                int dots = own.stream().map(String::strip).toList().indexOf(DOTS);
                if (dots >= 0 && OTHER_MODULES.stream().anyMatch(text::contains)) {
                    before = inOneLine(own.subList(0, dots));
                    after = inOneLine(own.subList(dots, own.size()));
                }
                text = "\n" + text;
            }
            String name = prefix + "_" + (i + 1) + ".java";
            Files.writeString(where.resolve(name), "\n".repeat(i) + text);
            names.add(name);
        }
        assertThat(names).isNotEmpty();
        return names;
    }

    private static String inOneLine(List<String> code) {
        return String.join(
                " ", code.stream().map(line -> line.replaceFirst("//.*", "")).toList());
    }

    @Test
    void namesInTheTableAreThere() throws IOException {
        Set<String> names = new TreeSet<>();
        for (Class<?> type : PUBLIC) {
            for (Method method : type.getMethods()) names.add(method.getName());
            for (Field field : type.getFields()) names.add(field.getName());
            for (Class<?> nested : type.getClasses()) {
                for (Field field : nested.getFields()) names.add(field.getName());
            }
        }
        Pattern code = Pattern.compile("`([^`]+)`"), name = Pattern.compile("(\\w+)\\(|\\b([A-Z][A-Z_]+)\\b");
        List<String> rows = Files.readAllLines(Checkout.ROOT.resolve("docs/from-mpi4py.md")).stream()
                .dropWhile(line -> !line.equals("## Names"))
                // Mpi4pyNamesTest tests the tables of the last section
                .takeWhile(line -> !line.equals("## All names of mpi4py"))
                .filter(line -> line.startsWith("| "))
                .skip(1)
                .toList();
        assertThat(rows).hasSizeGreaterThan(30);
        for (String row : rows) {
            String[] cells = row.split(" \\| ");
            assertThat(cells).as("cells of %s", row).hasSize(2);
            for (Matcher m = code.matcher(cells[1]); m.find(); ) {
                for (Matcher found = name.matcher(m.group(1)); found.find(); ) {
                    String wanted = found.group(1) == null ? found.group(2) : found.group(1);
                    assertThat(names).as("public names, for %s", row).contains(wanted);
                }
            }
        }
    }
}
