import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Generates the reductions of `LONG` from the loops of `INT`, and the reductions of `FLOAT` from the loops of
/// `DOUBLE`, by replacing names. A loop is fast only if it is written for one element type.
///
///     java GenerateLoops.java src/main/java target/generated-sources/loops
public final class GenerateLoops {
    private static final String PACKAGE = "org/tutti/spi/reduce";

    /// An element type, as it is written in Java.
    private record Type(String primitive, String box, String word, String constant) {
        String loops() {
            return "Reduce" + word + "s";
        }
    }

    private static final Type INT = new Type("int", "Integer", "Int", "INT");
    private static final Type LONG = new Type("long", "Long", "Long", "LONG");
    private static final Type DOUBLE = new Type("double", "Double", "Double", "DOUBLE");
    private static final Type FLOAT = new Type("float", "Float", "Float", "FLOAT");

    public static void main(String[] args) throws IOException {
        Path sources = Path.of(args[0]), to = Path.of(args[1]);
        make(sources, to, INT, LONG);
        make(sources, to, DOUBLE, FLOAT);
    }

    private static void make(Path sources, Path to, Type from, Type into) throws IOException {
        String text = Files.readString(sources.resolve(PACKAGE).resolve(from.loops() + ".java"))
                .replace(from.loops(), into.loops())
                .replace("JAVA_" + from.constant, "JAVA_" + into.constant)
                .replace("ElementType." + from.constant, "ElementType." + into.constant)
                .replace("`" + from.constant + "`", "`" + into.constant + "`")
                .replace(from.box + ".BYTES", into.box + ".BYTES")
                .replace("Elements.get" + from.word, "Elements.get" + into.word)
                .replace("Elements.set" + from.word, "Elements.set" + into.word)
                // the type is replaced only in arrays, before the elements `a` and `b`, and before `combine`,
                // which returns an element; an index remains an int
                .replaceAll("\\b" + from.primitive + "(\\[| a\\b| b\\b| combine\\b)", into.primitive + "$1");
        Path file = to.resolve(PACKAGE).resolve(into.loops() + ".java");
        Files.createDirectories(file.getParent());
        // an unchanged file is not written, so that it is not compiled again
        if (!Files.exists(file) || !Files.readString(file).equals(text)) Files.writeString(file, text);
    }
}
