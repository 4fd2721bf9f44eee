package org.tutti.train.torch.pickle;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads pickles as data. Supports only the opcodes of libtorch's writer and of `torch.save`, and executes no code.
/// Values are numbers, booleans, strings, lists, maps, null, [Fields], [Stored] and [Saved].
///
/// @see <a href="https://github.com/python/cpython/blob/main/Lib/pickletools.py">the opcodes</a>
public final class Pickle {
    /// A nested archive.
    public record Fields(Map<String, @Nullable Object> by) {}

    /// A tensor.
    ///
    /// @param type the type of the storage, for example `FloatStorage`, or of the tensor, for example `uint16`
    /// @param record the name of the record, in the archive, that contains the numbers
    /// @param offset the position of the first number in the record
    public record Stored(String type, String record, long offset, List<Long> shape, List<Long> strides) {}

    /// A tensor of a model.
    ///
    /// @param requiresGradient false for a frozen parameter
    public record Saved(Stored tensor, boolean isParameter, boolean requiresGradient) {}

    /// A name that a pickle imports.
    private record Global(String name) {}

    private static final Object MARK = new Object();
    private static final Object NONE = new Object();
    private static final String ORDERED = "collections OrderedDict";
    private static final String TENSOR = "torch._utils _rebuild_tensor_v2", TYPED = "torch._utils _rebuild_tensor_v3";
    private static final String PARAMETER = "torch._utils _rebuild_parameter";

    /// Names that a file of tensors may import in addition to storages and types.
    private static final Set<String> IMPORTS = Set.of(ORDERED, TENSOR, TYPED, PARAMETER);

    private static final Pattern TYPE =
            Pattern.compile("torch [a-z0-9_]{1,20}|torch(\\.storage)? [A-Za-z0-9]{1,20}Storage");

    /// Limits of a file of tensors. Python writes a dictionary in batches of 1,000 entries, so the stack is short.
    private static final int LARGEST_TENSORS = 4 << 20, DEEPEST_STACK = 100_000, MOST_DIMENSIONS = 64;

    private static final int SHOWN_CHARS = 80;

    private final ByteBuffer in;

    /// Whether libtorch wrote the pickle in this process; otherwise, the pickle is from a file.
    private final boolean isArchive;

    private final Deque<Object> stack = new ArrayDeque<>();
    private final Map<Integer, Object> memo = new HashMap<>();

    private Pickle(byte[] bytes, boolean isArchive) {
        in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        this.isArchive = isArchive;
    }

    /// Returns the archive in a pickle of libtorch.
    ///
    /// @throws IllegalArgumentException if the pickle has contents that archives do not have
    public static Fields readArchive(byte[] bytes) {
        return (Fields) new Pickle(bytes, true).value();
    }

    /// Returns the tensors in a pickle of `torch.save`, by name. The pickle may be from an untrusted source.
    ///
    /// @throws IllegalArgumentException if the pickle is not a dictionary of tensors; the message states the
    ///     problem
    public static Map<String, Saved> readTensors(byte[] bytes) {
        if (bytes.length > LARGEST_TENSORS)
            throw new IllegalArgumentException(
                    "has " + bytes.length + " bytes; at most " + LARGEST_TENSORS + " are read");
        Object value;
        try {
            value = new Pickle(bytes, false).value();
        } catch (BufferUnderflowException | NoSuchElementException | IndexOutOfBoundsException | ClassCastException e) {
            throw new IllegalArgumentException("is damaged", e);
        }
        if (!(value instanceof Map<?, ?> entries)) throw new IllegalArgumentException("is not a dictionary of tensors");
        Map<String, Saved> tensors = new LinkedHashMap<>();
        entries.forEach((name, tensor) -> {
            if (!(name instanceof String text)) throw new IllegalArgumentException("has a tensor without a name");
            switch (tensor) {
                case Stored stored -> tensors.put(text, new Saved(stored, false, false));
                case Saved saved -> tensors.put(text, saved);
                default -> throw new IllegalArgumentException(shown(text) + " is not a tensor");
            }
        });
        return tensors;
    }

    private Object value() {
        for (int op = unsigned(); op != '.'; op = unsigned()) {
            execute(op);
            if (!isArchive && stack.size() > DEEPEST_STACK) throw new IllegalArgumentException("is nested too deeply");
        }
        return stack.pop();
    }

    private static String shown(String text) {
        String line = text.replaceAll("\\p{Cntrl}", "?");
        return line.length() <= SHOWN_CHARS ? line : line.substring(0, SHOWN_CHARS) + "…";
    }

    private int unsigned() {
        return Byte.toUnsignedInt(in.get());
    }

    private void execute(int op) {
        switch (op) {
            case 0x80 -> in.get(); // the version
            case 'c' -> stack.push(global());
            case 'q' -> memo.put(unsigned(), stack.element());
            case 'r' -> memo.put(in.getInt(), stack.element());
            case 'h' -> stack.push(known(unsigned()));
            case 'j' -> stack.push(known(in.getInt()));
            case '(' -> stack.push(MARK);
            case ')', ']' -> stack.push(new ArrayList<>());
            case '}' -> stack.push(new LinkedHashMap<>());
            case 't' -> stack.push(toMark());
            case 0x85, 0x86, 0x87 -> stack.push(last(op - 0x84));
            case 'X' -> stack.push(text());
            case 'K' -> stack.push((long) unsigned());
            case 'M' -> stack.push((long) Short.toUnsignedInt(in.getShort()));
            case 'J' -> stack.push((long) in.getInt());
            case 0x8a -> stack.push(number(unsigned()));
            case 'G' -> stack.push(Double.longBitsToDouble(Long.reverseBytes(in.getLong())));
            case 'N' -> stack.push(NONE);
            case 0x88, 0x89 -> stack.push(op == 0x88);
            case 0x81, 'b' -> object(op);
            case 's' -> put(last(2));
            case 'u' -> put(toMark());
            case 'a' -> append(last(1));
            case 'e' -> append(toMark());
            case 'Q' -> {} // the persistent id; the tuple on the stack represents the object
            case 'R' -> reduce();
            default -> throw new IllegalArgumentException("an opcode %02x at %d".formatted(op, in.position() - 1));
        }
    }

    private Global global() {
        String name = line() + " " + line();
        if (isArchive || IMPORTS.contains(name) || TYPE.matcher(name).matches()) return new Global(name);
        throw new IllegalArgumentException(
                "uses " + shown(name.replace(' ', '.')) + " of Python; only tensors are read");
    }

    /// Creates an object of a class, or sets the fields of an object.
    private void object(int op) {
        if (!isArchive) throw new IllegalArgumentException("has an object of a class; only tensors are read");
        if (op == 0x81) {
            last(2);
            stack.push(new Fields(new LinkedHashMap<>()));
        } else {
            Object state = stack.pop();
            ((Fields) stack.element()).by().putAll(texts((Map<?, ?>) state));
        }
    }

    private String line() {
        int from = in.position();
        while (in.get() != '\n') {}
        return new String(in.array(), from, in.position() - 1 - from, UTF_8);
    }

    private Object known(int key) {
        Object value = memo.get(key);
        if (value == null) throw new IllegalArgumentException("no value " + key);
        return value;
    }

    private String text() {
        int length = in.getInt(), from = in.position();
        if (length < 0 || length > in.remaining()) throw new BufferUnderflowException();
        in.position(from + length);
        return new String(in.array(), from, length, UTF_8);
    }

    /// Reads a little-endian number of `bytes` bytes, in two's complement.
    private long number(int bytes) {
        if (bytes > Long.BYTES) throw new IllegalArgumentException("has an integer beyond 64 bits");
        long value = 0;
        for (int i = 0; i < bytes; i++) value |= (long) unsigned() << (8 * i);
        return bytes == 0 ? 0 : value << (64 - 8 * bytes) >> (64 - 8 * bytes);
    }

    private List<Object> toMark() {
        List<Object> values = new ArrayList<>();
        for (Object v = stack.pop(); v != MARK; v = stack.pop()) values.add(v);
        Collections.reverse(values);
        return values;
    }

    private List<Object> last(int count) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < count; i++) values.add(stack.pop());
        Collections.reverse(values);
        return values;
    }

    @SuppressWarnings("unchecked") // keys and values of every map on the stack are of type Object
    private void put(List<Object> pairs) {
        Map<Object, Object> into = (Map<Object, Object>) stack.element();
        for (int i = 0; i < pairs.size(); i += 2) {
            Object key = pairs.get(i);
            // computing the hash of a list that contains itself would not end
            if (!(key instanceof String || key instanceof Long))
                throw new IllegalArgumentException("has a dictionary with a key that is neither a text nor an integer");
            into.put(key, pairs.get(i + 1));
        }
    }

    @SuppressWarnings("unchecked") // elements of every list on the stack are of type Object
    private void append(List<Object> values) {
        ((List<Object>) stack.element()).addAll(values);
    }

    private static Map<String, @Nullable Object> texts(Map<?, ?> state) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        state.forEach((k, v) -> fields.put((String) k, v == NONE ? null : v));
        return fields;
    }

    /// Evaluates a call of a function that creates a tensor, a parameter, or an empty dictionary of hooks. In
    /// an archive, the result of any other function is the list of arguments.
    private void reduce() {
        List<?> arguments = (List<?>) stack.pop();
        String function = ((Global) stack.pop()).name();
        stack.push(
                switch (function) {
                    case TENSOR -> stored(arguments, type(((List<?>) arguments.get(0)).get(1)));
                    case TYPED -> stored(arguments, type(arguments.get(6)));
                    case PARAMETER -> new Saved((Stored) arguments.get(0), true, (Boolean) arguments.get(1));
                    case ORDERED -> new LinkedHashMap<>();
                    default -> {
                        if (isArchive) yield arguments;
                        throw new IllegalArgumentException("calls " + shown(function) + "; only tensors are read");
                    }
                });
    }

    private static Stored stored(List<?> arguments, String type) {
        List<?> storage = (List<?>) arguments.get(0);
        return new Stored(
                type,
                (String) storage.get(2),
                (Long) arguments.get(1),
                longs(arguments.get(2)),
                longs(arguments.get(3)));
    }

    /// Returns the name without the package.
    private static String type(Object global) {
        String name = ((Global) global).name();
        return name.substring(name.indexOf(' ') + 1);
    }

    private static List<Long> longs(Object values) {
        List<?> list = (List<?>) values;
        if (list.size() > MOST_DIMENSIONS)
            throw new IllegalArgumentException("has a tensor of " + list.size() + " dimensions");
        return list.stream().map(v -> (Long) v).toList();
    }
}
