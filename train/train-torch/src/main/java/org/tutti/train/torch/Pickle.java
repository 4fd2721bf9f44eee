package org.tutti.train.torch;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import org.jspecify.annotations.Nullable;

/// Reads the pickle that describes the structure of libtorch's archives. Supports only the opcodes of
/// libtorch's writer, and executes no code. Values are numbers, booleans, strings, lists, null, [Fields] and
/// [Stored].
///
/// @see <a href="https://github.com/python/cpython/blob/main/Lib/pickletools.py">the opcodes</a>
final class Pickle {
    /// A nested archive.
    record Fields(Map<String, @Nullable Object> by) {}

    /// A tensor.
    ///
    /// @param type of the storage, for example `FloatStorage`
    /// @param record name of the archive's record with the numbers
    /// @param offset of the first number in the record
    record Stored(String type, String record, long offset, List<Long> shape, List<Long> strides) {}

    private static final Object MARK = new Object();
    private static final Object NONE = new Object();

    private final ByteBuffer in;
    private final Deque<Object> stack = new ArrayDeque<>();
    private final Map<Integer, Object> memo = new HashMap<>();

    private Pickle(byte[] bytes) {
        in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /// Returns the archive in a pickle.
    ///
    /// @throws IllegalArgumentException if the pickle has contents that archives do not have
    static Fields read(byte[] bytes) {
        Pickle pickle = new Pickle(bytes);
        for (int op = pickle.unsigned(); op != '.'; op = pickle.unsigned()) pickle.execute(op);
        return (Fields) pickle.stack.pop();
    }

    private int unsigned() {
        return Byte.toUnsignedInt(in.get());
    }

    private void execute(int op) {
        switch (op) {
            case 0x80 -> in.get(); // the version
            case 'c' -> stack.push(line() + " " + line());
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
            case 0x81 -> { // a new object of a class
                last(2);
                stack.push(new Fields(new LinkedHashMap<>()));
            }
            case 'b' -> {
                Object state = stack.pop();
                ((Fields) stack.element()).by().putAll(texts((Map<?, ?>) state));
            }
            case 's' -> put(last(2));
            case 'u' -> put(toMark());
            case 'a' -> append(last(1));
            case 'e' -> append(toMark());
            case 'Q' -> {} // persistent id: the tuple describes it
            case 'R' -> reduce();
            default -> throw new IllegalArgumentException("an opcode %02x at %d".formatted(op, in.position() - 1));
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
        byte[] bytes = new byte[in.getInt()];
        in.get(bytes);
        return new String(bytes, UTF_8);
    }

    /// Reads a little-endian number of `bytes` bytes, in two's complement.
    private long number(int bytes) {
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

    @SuppressWarnings("unchecked") // a dictionary is what was pushed as one
    private void put(List<Object> pairs) {
        Map<Object, Object> into = (Map<Object, Object>) stack.element();
        for (int i = 0; i < pairs.size(); i += 2) into.put(pairs.get(i), pairs.get(i + 1));
    }

    @SuppressWarnings("unchecked") // a list is what was pushed as one
    private void append(List<Object> values) {
        ((List<Object>) stack.element()).addAll(values);
    }

    private static Map<String, @Nullable Object> texts(Map<?, ?> state) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        state.forEach((k, v) -> fields.put((String) k, v == NONE ? null : v));
        return fields;
    }

    /// Evaluates a function call: one that creates a tensor, or an empty dictionary of hooks.
    private void reduce() {
        List<?> arguments = (List<?>) stack.pop();
        String function = (String) stack.pop();
        stack.push(
                switch (function) {
                    case "torch._utils _rebuild_tensor_v2" -> stored(arguments);
                    case "collections OrderedDict" -> new LinkedHashMap<>();
                    default -> arguments;
                });
    }

    private static Stored stored(List<?> arguments) {
        List<?> storage = (List<?>) arguments.get(0);
        return new Stored(
                ((String) storage.get(1)).substring("torch ".length()),
                (String) storage.get(2),
                (Long) arguments.get(1),
                longs(arguments.get(2)),
                longs(arguments.get(3)));
    }

    private static List<Long> longs(Object values) {
        return ((List<?>) values).stream().map(v -> (Long) v).toList();
    }
}
