package programs;

import static org.tutti.mpi.Buf.buf;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.MpiFile.Mode;
import org.tutti.mpi.MpiFile.Seek;

/// Ranks write the files of a plan, or read files of a different program: `write|read PLAN PREFIX`. A line of
/// the plan describes the access of one rank to one file: number, rank, call, etype, displacement, offset,
/// count, and the construction of the file type. file_views.py does the same with mpi4py.
public final class FileViews {
    private static final Map<String, Datatype> TYPES = Map.of(
            "BYTE", Datatype.BYTE,
            "SHORT", Datatype.SHORT,
            "INT", Datatype.INT,
            "DOUBLE", Datatype.DOUBLE,
            "DOUBLE_INT", Datatype.DOUBLE_INT,
            "LONG_INT", Datatype.LONG_INT);

    private FileViews() {}

    public static void main(String[] args) throws IOException {
        boolean writes = args[0].equals("write");
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            for (String line : Files.readAllLines(Path.of(args[1]))) {
                String[] fields = line.split(" ");
                if (Integer.parseInt(fields[1]) == world.rank()) run(world, writes, fields, args[2] + fields[0]);
            }
        }
    }

    private static void run(Comm world, boolean writes, String[] fields, String path) {
        Datatype etype = TYPES.get(fields[3]);
        byte[] expected = new byte[Integer.parseInt(fields[6]) * (int) etype.extent()];
        boolean isPair = fields[3].endsWith("_INT");
        for (int i = 0; i < expected.length; i++) {
            // a file does not contain the gap of a pair
            if (!isPair || i % 16 < 12) expected[i] = (byte) (1 + (i * 7 + world.rank() * 31) % 255);
        }
        byte[] data = writes ? expected.clone() : new byte[expected.length];
        try (MpiFile f = MpiFile.open(world, path, Mode.RDWR, Mode.CREATE)) {
            f.setView(
                    Long.parseLong(fields[4]),
                    etype,
                    filetype(etype, fields[7], Arrays.copyOfRange(fields, 8, fields.length)));
            access(f, writes, fields[2], Long.parseLong(fields[5]), buf(MemorySegment.ofArray(data), etype));
        }
        if (Arrays.equals(data, expected)) return;
        throw new AssertionError("case " + fields[0] + ", rank " + fields[1] + ": read other bytes");
    }

    private static Datatype filetype(Datatype etype, String kind, String[] args) {
        return switch (kind) {
            case "indexed" ->
                etype.indexed(numbers(args[0]), numbers(args[1])).resized(0, Long.parseLong(args[2]) * etype.extent());
            default -> etype.subarray(numbers(args[0]), numbers(args[1]), numbers(args[2]));
        };
    }

    private static int[] numbers(String text) {
        return Arrays.stream(text.split(",")).mapToInt(Integer::parseInt).toArray();
    }

    private static void access(MpiFile f, boolean writes, String call, long offset, Buf data) {
        f.seek(offset, Seek.SET);
        switch (call) {
            case "at" -> {
                if (writes) f.writeAt(offset, data);
                else f.readAt(offset, data);
            }
            case "at_all" -> {
                if (writes) f.writeAtAll(offset, data);
                else f.readAtAll(offset, data);
            }
            case "pointer" -> {
                if (writes) f.write(data);
                else f.read(data);
            }
            case "pointer_all" -> {
                if (writes) f.writeAll(data);
                else f.readAll(data);
            }
            case "i_at" -> {
                if (writes) f.iwriteAt(offset, data).await();
                else f.ireadAt(offset, data).await();
            }
            default -> {
                if (writes) f.writeAtAllBegin(offset, data);
                else f.readAtAllBegin(offset, data);
                if (writes) f.writeAtAllEnd();
                else f.readAtAllEnd();
            }
        }
    }
}
