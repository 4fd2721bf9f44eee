package org.tutti.train.torch.graph.file;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Changes exported programs at random: bytes of the file, entries of the archive, values in the JSON,
/// arguments of operators. The same seed results in the same file.
public final class ProgramMutator {
    private static final List<String> PROGRAMS =
            List.of("mlp", "lstm", "dropout", "llama", "t5", "resnet", "mlp-2.6", "mlp-2.8");

    private static final long[] INTEGERS = {
        0,
        1,
        -1,
        2,
        3,
        7,
        64,
        -2,
        255,
        65_536,
        Integer.MAX_VALUE,
        1L << 31,
        1L << 32,
        1L << 40,
        1L << 62,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private static final List<String> TARGETS = List.of(
            "torch.ops.aten.as_strided.default",
            "torch.ops.aten.from_file.default",
            "torch.ops.aten.empty.memory_format",
            "torch.ops.aten.resize_.default",
            "torch.ops.aten._unsafe_view.default",
            "torch.ops.aten._unsafe_index.Tensor",
            "torch.ops.aten.relu_.default",
            "torch.ops.aten.t_.default",
            "torch.ops.aten.sum.default",
            "torch.ops.aten.nonsense.default",
            "torch.ops.os.system.default",
            "torch.ops.higher_order.cond",
            "torch.ops.higher_order.while_loop",
            "torch.ops.aten.linear",
            "_operator.truediv",
            "_operator.floordiv",
            "_operator.pow",
            "_operator.lshift",
            "math.trunc",
            "torch.sym_sqrt",
            "os.system",
            "");

    private static final List<String> NAMES =
            List.of("/etc/passwd", "../../x", "a/../b", "C:\\x", "models/model.json", "x\0y", "", "ü/ß", "a//b", ".");

    private final SplittableRandom random;
    private final String program;
    private final List<String> changes = new ArrayList<>();

    public ProgramMutator(long seed) {
        random = new SplittableRandom(seed);
        program = PROGRAMS.get(random.nextInt(PROGRAMS.size()));
    }

    /// Returns the name of the program that was changed.
    public String program() {
        return program;
    }

    /// Returns the changed file.
    public byte[] file() {
        EditedArchive archive = EditedArchive.of(program);
        Map<String, byte[]> entries = archive.entries();
        int kind = random.nextInt(100);
        if (kind < 12) return bytes(EditedArchive.resource(program + ".pt2"));
        if (kind < 24) changeEntries(entries);
        else if (kind < 34) changeContents(entries);
        else if (kind < 60) changeArguments(archive);
        else for (int i = random.nextInt(1, 4); i > 0; i--) changeJson(entries);
        return EditedArchive.zip(entries, random.nextInt(3) == 0);
    }

    private byte[] bytes(byte[] file) {
        byte[] changed = file.clone();
        switch (random.nextInt(6)) {
            case 0 -> {
                changes.add("cut");
                return Arrays.copyOf(changed, random.nextInt(changed.length));
            }
            case 1 -> {
                changes.add("longer");
                return Arrays.copyOf(changed, changed.length + random.nextInt(1, 100_000));
            }
            case 2 -> {
                changes.add("zeros");
                int from = random.nextInt(changed.length);
                Arrays.fill(changed, from, Math.min(changed.length, from + random.nextInt(1, 5_000)), (byte) 0);
            }
            case 3 -> {
                changes.add("field of the directory");
                for (int i = random.nextInt(1, 4); i > 0; i--) {
                    int at = changed.length - 1 - random.nextInt(Math.min(changed.length - 8, 1_000));
                    for (int b = at; b < Math.min(changed.length, at + random.nextInt(1, 9)); b++)
                        changed[b] = (byte) (random.nextBoolean() ? 0xff : random.nextInt(256));
                }
            }
            default -> {
                changes.add("flipped");
                boolean isAtTheEnd = random.nextBoolean();
                for (int i = random.nextInt(1, 21); i > 0; i--) {
                    int at = random.nextInt(isAtTheEnd ? changed.length * 9 / 10 : 0, changed.length);
                    changed[at] ^= (byte) (1 << random.nextInt(8));
                }
            }
        }
        return changed;
    }

    private void changeEntries(Map<String, byte[]> entries) {
        List<String> names = new ArrayList<>(entries.keySet());
        String name = names.get(random.nextInt(names.size())), other = names.get(random.nextInt(names.size()));
        byte[] content = entries.get(name);
        switch (random.nextInt(7)) {
            case 0 -> {
                changes.add("without " + name);
                entries.remove(name);
            }
            case 1 -> {
                changes.add("swapped " + name + " " + other);
                entries.put(name, entries.get(other));
                entries.put(other, content);
            }
            case 2 -> {
                String added = NAMES.get(random.nextInt(NAMES.size()));
                String to = random.nextBoolean() ? added : name.substring(0, name.indexOf('/') + 1) + added;
                changes.add("renamed " + name);
                entries.remove(name);
                entries.put(to.isEmpty() ? "e" : to, content);
            }
            case 3 -> {
                changes.add("shorter " + name);
                entries.put(name, Arrays.copyOf(content, random.nextInt(content.length + 1)));
            }
            case 4 -> {
                changes.add("nested " + name);
                entries.put(name, EditedArchive.zip(Map.of(other, content), random.nextBoolean()));
            }
            case 5 -> {
                changes.add("large zeros " + name);
                entries.put(name, new byte[random.nextInt(1 << 24)]);
            }
            default -> {
                changes.add("prefix");
                Map<String, byte[]> copy = new LinkedHashMap<>(entries);
                entries.clear();
                copy.forEach((n, c) -> entries.put("x/" + n, c));
            }
        }
    }

    /// Replaces bytes of an entry by random bytes; the checksum of the entry is correct.
    private void changeContents(Map<String, byte[]> entries) {
        List<String> names = new ArrayList<>(entries.keySet());
        String name = names.get(random.nextInt(names.size()));
        for (String n : names) {
            if ((n.endsWith(".json") || n.endsWith(".pt")) && random.nextInt(3) == 0) name = n;
        }
        changes.add("contents of " + name);
        byte[] content = entries.get(name).clone();
        for (int i = content.length == 0 ? 0 : random.nextInt(1, 6); i > 0; i--) {
            content[random.nextInt(content.length)] = (byte) random.nextInt(256);
        }
        entries.put(name, content);
    }

    /// A value in a tree.
    private record Place(Object container, Object key) {
        @Nullable
        Object value() {
            return container instanceof Map<?, ?> map ? map.get(key) : ((List<?>) container).get((Integer) key);
        }

        @SuppressWarnings("unchecked") // the parser's maps and lists
        void set(@Nullable Object value) {
            if (container instanceof Map<?, ?> map) ((Map<Object, @Nullable Object>) map).put(key, value);
            else ((List<@Nullable Object>) container).set((Integer) key, value);
        }

        void remove() {
            if (container instanceof Map<?, ?> map) map.remove(key);
            else ((List<?>) container).remove((int) (Integer) key);
        }
    }

    /// Returns a copy, so that a value never contains itself.
    private static @Nullable Object copy(@Nullable Object value) {
        return JsonTree.parse(JsonTree.write(value));
    }

    private static List<Place> places(@Nullable Object tree, List<Place> into) {
        if (tree instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> field : map.entrySet()) {
                into.add(new Place(map, field.getKey()));
                places(field.getValue(), into);
            }
        } else if (tree instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                into.add(new Place(list, i));
                places(list.get(i), into);
            }
        }
        return into;
    }

    private void changeJson(Map<String, byte[]> entries) {
        List<String> names =
                entries.keySet().stream().filter(n -> n.endsWith(".json")).toList();
        if (names.isEmpty()) return;
        String name = names.get(random.nextInt(names.size()));
        for (String n : names) if (n.endsWith("model.json") && random.nextBoolean()) name = n;
        Object tree = JsonTree.parse(entries.get(name));
        List<Place> all = places(tree, new ArrayList<>());
        if (all.isEmpty()) return;
        Place place = random.nextBoolean() ? all.get(random.nextInt(all.size())) : descent(tree);
        change(place, all);
        entries.put(name, JsonTree.write(tree));
    }

    /// Descends from the root into random children, so that places near the root are likely.
    private Place descent(@Nullable Object tree) {
        Object at = tree;
        while (true) {
            List<Place> children = new ArrayList<>();
            if (at instanceof Map<?, ?> map) map.keySet().forEach(k -> children.add(new Place(map, k)));
            else for (int i = 0; i < ((List<?>) at).size(); i++) children.add(new Place(at, i));
            Place child = children.get(random.nextInt(children.size()));
            Object value = child.value();
            boolean isLeaf =
                    !(value instanceof Map<?, ?> m && !m.isEmpty()) && !(value instanceof List<?> l && !l.isEmpty());
            if (isLeaf || random.nextInt(5) == 0) return child;
            at = value;
        }
    }

    private void change(Place place, List<Place> all) {
        Object value = place.value();
        int kind = random.nextInt(8);
        changes.add("json " + place.key() + " " + kind);
        switch (kind) {
            case 0 -> place.remove();
            case 1 -> place.set(anything());
            case 2 -> place.set(copy(all.get(random.nextInt(all.size())).value()));
            case 3 -> {
                if (place.container() instanceof List<?> list && !list.isEmpty()) shuffle(list, place);
                else rename(place);
            }
            default -> {
                switch (value) {
                    case Long number -> place.set(integer(number));
                    case Double number -> place.set(random.nextBoolean() ? "NaN" : (Object) (-number * 1e300));
                    case Boolean truth -> place.set(!truth);
                    case String text -> place.set(text(text, place, all));
                    case null, default -> place.set(sameKey(place, all));
                }
            }
        }
    }

    @SuppressWarnings("unchecked") // the parser's list
    private void shuffle(List<?> list, Place place) {
        List<@Nullable Object> values = (List<@Nullable Object>) list;
        int other = random.nextInt(values.size()), at = (Integer) place.key();
        if (random.nextBoolean()) values.add(other, values.get(at));
        else {
            Object moved = values.get(at);
            values.set(at, values.get(other));
            values.set(other, moved);
        }
    }

    private void rename(Place place) {
        if (place.container() instanceof List<?>) return;
        Object value = place.value();
        place.remove();
        String[] kinds = {
            "as_int", "as_tensor", "as_name", "as_graph", "as_operator", "as_none", "x", "as_expr", "as_ints"
        };
        new Place(place.container(), kinds[random.nextInt(kinds.length)]).set(value);
    }

    private @Nullable Object sameKey(Place place, List<Place> all) {
        for (int i = 0; i < 100; i++) {
            Place other = all.get(random.nextInt(all.size()));
            if (other.key().equals(place.key())) return copy(other.value());
        }
        return anything();
    }

    private long integer(long was) {
        return switch (random.nextInt(4)) {
            case 0 -> was + 1;
            case 1 -> was - 1;
            default -> INTEGERS[random.nextInt(INTEGERS.length)];
        };
    }

    private Object text(String was, Place place, List<Place> all) {
        if ("target".equals(place.key()) && random.nextBoolean()) return TARGETS.get(random.nextInt(TARGETS.size()));
        return switch (random.nextInt(5)) {
            case 0 -> "";
            case 1 -> was.repeat(random.nextInt(2, 3_000) / Math.max(1, was.length() / 16) + 1);
            case 2 -> sameKey(place, all) instanceof String text ? text : was;
            case 3 -> NAMES.get(random.nextInt(NAMES.size()));
            default -> {
                if (was.isEmpty()) yield "x";
                int at = random.nextInt(was.length());
                yield was.substring(0, at)
                        + (char) random.nextInt(random.nextBoolean() ? 127 : 0xd800)
                        + was.substring(at + 1);
            }
        };
    }

    private @Nullable Object anything() {
        return switch (random.nextInt(12)) {
            case 0 -> null;
            case 1 -> true;
            case 2 -> "x";
            case 3 -> 1e30;
            case 4 -> new ArrayList<>();
            case 5 -> new LinkedHashMap<>();
            case 6 -> new ArrayList<>(List.of("x"));
            case 7 -> new TreeMap<>(Map.of("as_int", 3L));
            case 8 -> new TreeMap<>(Map.of("as_none", true));
            case 9 -> new TreeMap<>(Map.of("as_tensor", new TreeMap<>(Map.of("name", "linear"))));
            case 10 -> {
                Object deep = 1L;
                for (int i = random.nextInt(1, 200); i > 0; i--) deep = new ArrayList<>(Arrays.asList(deep));
                yield deep;
            }
            default -> INTEGERS[random.nextInt(INTEGERS.length)];
        };
    }

    /// Changes targets, names and numbers in the graph, because libtorch gets them.
    private void changeArguments(EditedArchive archive) {
        String name = archive.entries().keySet().stream()
                .filter(n -> n.endsWith("models/model.json") || n.endsWith("program.json"))
                .findFirst()
                .orElseThrow();
        Object tree = JsonTree.parse(archive.entries().get(name));
        List<Place> all = places(tree, new ArrayList<>());
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            List<Place> candidates = switch (random.nextInt(4)) {
                case 0 -> all.stream().filter(p -> "target".equals(p.key())).toList();
                case 1 ->
                    all.stream()
                            .filter(p -> "as_float".equals(p.key()) || "as_bool".equals(p.key()))
                            .toList();
                case 2 ->
                    all.stream()
                            .filter(p ->
                                    "name".equals(p.key()) && p.container() instanceof Map<?, ?> m && m.size() == 1)
                            .toList();
                default ->
                    all.stream()
                            .filter(p -> p.value() instanceof Long && !"kind".equals(p.key()))
                            .toList();
            };
            if (candidates.isEmpty()) continue;
            Place place = candidates.get(random.nextInt(candidates.size()));
            changes.add("argument " + place.key());
            switch (place.value()) {
                case Long number -> place.set(integer(number));
                case Boolean truth -> place.set(!truth);
                case Double number -> place.set(random.nextBoolean() ? "NaN" : (Object) (-number * 1e30));
                case String text
                when "target".equals(place.key()) ->
                    place.set(
                            random.nextInt(3) > 0 ? sameKey(place, all) : TARGETS.get(random.nextInt(TARGETS.size())));
                case null, default -> place.set(sameKey(place, all));
            }
        }
        archive.entries().put(name, JsonTree.write(tree));
    }

    @Override
    public String toString() {
        return program + " " + String.join(", ", changes);
    }
}
