package org.tutti.mpi.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.mpi.object.RoundTrip.Circle;
import org.tutti.mpi.object.RoundTrip.Colour;
import org.tutti.mpi.object.RoundTrip.Figure;
import org.tutti.mpi.object.RoundTrip.Item;
import org.tutti.mpi.object.RoundTrip.Job;
import org.tutti.mpi.object.RoundTrip.Positive;
import org.tutti.mpi.object.RoundTrip.Square;

/// For any bytes, the outcome is a value or a [CodecException].
class HostileMessageTest {
    private static AbstractThrowableAssert<?, ?> reading(byte[] message) {
        return assertThatThrownBy(() -> RoundTrip.read(message)).isInstanceOf(CodecException.class);
    }

    private static byte[] naming(int tag, int kindByte, String name) {
        byte[] ascii = name.getBytes(StandardCharsets.US_ASCII);
        byte[] message = new byte[5 + ascii.length + 6];
        byte[] head = RoundTrip.message(tag, 0, kindByte, ascii.length);
        System.arraycopy(head, 0, message, 0, 5);
        System.arraycopy(ascii, 0, message, 5, ascii.length);
        return message;
    }

    private static byte[] replaced(byte[] message, String text, String by) {
        String all = new String(message, StandardCharsets.ISO_8859_1);
        assertThat(all).contains(text);
        return all.replace(text, by).getBytes(StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.lang.ProcessBuilder",
                "java.lang.Runtime",
                "java.lang.ProcessHandleImpl",
                "java.lang.Runtime$Version",
                "java.util.ArrayList",
                "java.lang.System$Logger$Level",
                "javax.naming.InitialContext",
                "jdk.internal.misc.Unsafe",
                "org.tutti.mpi.object.ObjectCodec",
                "[Lorg.tutti.mpi.object.RoundTrip$Circle;",
                "no.such.Type",
                "int",
                "../../etc/passwd"
            })
    void namesResolveOnlyToTheProgramsOwn(String name) {
        for (int kindByte : new int[] {OwnShape.RECORD, OwnShape.ENUM, OwnShape.INTERFACE}) {
            for (int tag : new int[] {Tag.RECORD, Tag.ENUM, Tag.ENUM_SET, Tag.ENUM_MAP}) {
                reading(naming(tag, kindByte, name)).hasMessageStartingWith("names ");
            }
        }
    }

    @Test
    void aNamedClassIsNotInitialised() {
        reading(naming(Tag.RECORD, OwnShape.RECORD, "org.tutti.mpi.object.HostileMessageTest$Bomb"))
                .hasMessage("names org.tutti.mpi.object.HostileMessageTest$Bomb, which is not a record or enum of"
                        + " this program");
        assertThat(exploded).isFalse();
    }

    private static boolean exploded;

    static final class Bomb {
        static {
            exploded = true;
        }
    }

    @Test
    void anInterfaceIsOnlyTheElementTypeOfAnArray() {
        byte[] array = RoundTrip.bytes(new Figure[0]);
        array[1] = Tag.RECORD;
        reading(array).hasMessageStartingWith("is broken at ");
    }

    @Test
    void falseLengthsCauseNoAllocation() {
        int[] counted = {
            Tag.LATIN1,
            Tag.UTF16,
            Tag.BIG_INTEGER,
            Tag.BOOLEANS,
            Tag.BYTES,
            Tag.SHORTS,
            Tag.CHARS,
            Tag.INTS,
            Tag.LONGS,
            Tag.FLOATS,
            Tag.DOUBLES,
            Tag.LIST,
            Tag.SET_OF,
            Tag.SET,
            Tag.ARRAY_LIST,
            Tag.LINKED_LIST,
            Tag.ARRAY_DEQUE,
            Tag.HASH_SET,
            Tag.LINKED_HASH_SET,
            Tag.TREE_SET,
            Tag.MAP_OF,
            Tag.MAP,
            Tag.HASH_MAP,
            Tag.LINKED_HASH_MAP,
            Tag.TREE_MAP
        };
        for (int tag : counted) {
            reading(RoundTrip.message(tag, 0xFF, 0xFF, 0xFF, 0xFF, 0x07)).hasMessageContaining("announces ");
            reading(RoundTrip.message(tag, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01))
                    .hasMessageContaining("announces ");
        }
        reading(RoundTrip.message(Tag.DOUBLES, 2, 0, 0, 0, 0, 0, 0, 0, 0))
                .hasMessage("is broken at byte 3 of 11: announces 2 elements, but only 8 bytes follow");
    }

    @Test
    void nestedPromisesMustFitTogether() {
        int levels = 900;
        byte[] message = new byte[1 << 20];
        message[0] = (byte) Tag.FORMAT;
        for (int i = 0; i < levels; i++) { // each list announces 1 000 000 elements, which a megabyte could hold
            int at = 1 + 4 * i;
            message[at] = Tag.ARRAY_LIST;
            message[at + 1] = (byte) (1_000_000 | 0x80);
            message[at + 2] = (byte) (1_000_000 >> 7 | 0x80);
            message[at + 3] = (byte) (1_000_000 >> 14);
        }
        reading(message)
                .hasMessage(
                        "is broken at byte 9 of 1048576: announces 1000000 elements, but only 1048567 bytes follow");
    }

    @Test
    void reportsTheFault() {
        reading(new byte[0]).hasMessage("is truncated at byte 0 of 0: 1 bytes expected, 0 present");
        reading(new byte[] {1, 2, 3}).hasMessage("is not an object of this version of Tutti: the first byte is 1");
        reading(RoundTrip.message(127)).hasMessage("is broken at byte 2 of 2: unknown tag 127");
        reading(RoundTrip.message(Tag.NULL, Tag.NULL))
                .hasMessage("is broken at byte 2 of 3: data follows the end of the value");
        reading(RoundTrip.message(Tag.DOUBLE, 1, 2))
                .hasMessage("is truncated at byte 2 of 4: 8 bytes expected, 2 present");
        reading(RoundTrip.message(Tag.SHORT_STRING + 5, 'a'))
                .hasMessage("is truncated at byte 2 of 3: 5 bytes expected, 1 present");
        reading(RoundTrip.message(Tag.SET_OF, 2, Tag.TRUE, Tag.TRUE))
                .hasMessageStartingWith("cannot be built at byte 5 of 5: ");
        reading(RoundTrip.message(Tag.TREE_SET, 2, Tag.TRUE, Tag.SMALL_INT)).hasMessageContaining("ClassCastException");
        reading(RoundTrip.message(Tag.OPTIONAL, Tag.NULL)).hasMessageEndingWith("null is not allowed here");
        reading(RoundTrip.message(Tag.ARRAY, 255, 1, 0))
                .hasMessageEndingWith("an array of boolean cannot have 255 dimensions");
        reading(RoundTrip.message(Tag.ARRAY, 0, 5, 0)).hasMessageEndingWith("an array of int cannot have 0 dimensions");
        reading(RoundTrip.message(Tag.ARRAY, 0, 10, 1, Tag.TRUE))
                .hasMessageEndingWith("a java.lang.Boolean in a java.lang.String[]");
        reading(RoundTrip.message(Tag.ENUM, 3)).hasMessageEndingWith("class number 3 of 0");
    }

    @Test
    void depthIsLimited() {
        int[] deep = new int[2 * 5000];
        for (int i = 0; i < deep.length; i += 2) {
            deep[i] = Tag.ARRAY_LIST;
            deep[i + 1] = 1;
        }
        reading(RoundTrip.message(deep)).hasMessageEndingWith("nested more than 500 levels deep");
    }

    @Test
    void recordsAreCreatedOnlyByTheConstructor() {
        byte[] message = RoundTrip.bytes(new Positive(5));
        message[message.length - 1] = (byte) (Tag.SMALL_INT - Tag.SMALL_INT_MIN - 3);
        reading(message)
                .hasMessageEndingWith("the constructor of org.tutti.mpi.object.RoundTrip$Positive threw"
                        + " java.lang.IllegalArgumentException: value=-3 is not positive");
        message[message.length - 1] = Tag.NULL;
        reading(message).hasMessageEndingWith("RoundTrip$Positive.value is of type java.lang.Integer, not null");
        message[message.length - 1] = Tag.TRUE;
        reading(message)
                .hasMessageEndingWith("RoundTrip$Positive.value is of type java.lang.Integer, not java.lang.Boolean");
    }

    @Test
    void anotherVersionOfAClassIsNoticed() {
        reading(replaced(RoundTrip.bytes(new Circle(1)), "$Circle", "$Square"))
                .hasMessage("contains a different version of org.tutti.mpi.object.RoundTrip$Square than this rank;"
                        + " run the same program on all ranks");
        byte[] colour = RoundTrip.bytes(Colour.GREEN);
        colour[colour.length - 1] = 9;
        reading(colour).hasMessageEndingWith("RoundTrip$Colour has 2 constants, none with ordinal 9");
        reading(replaced(RoundTrip.bytes(new Circle(1)), "$Circle", "$Circus"))
                .hasMessage("names the class org.tutti.mpi.object.RoundTrip$Circus, which this rank does not have;"
                        + " run the same program on all ranks");
    }

    @Test
    void aMessageCutOffAnywhereIsRefused() {
        EnumMap<Colour, Object> enums = new EnumMap<>(Map.of(Colour.RED, 1));
        for (Object value : new Object[] {
            Map.of("a", 7, "b", 3.14),
            new Job(7, List.of(new Item("a", new Square(1, Colour.GREEN)), new Item("b", new int[][] {{1, 2}, {3}}))),
            new Object[] {EnumSet.allOf(Colour.class), enums, new Figure[] {new Circle(2)}, LocalDate.EPOCH, "日本"},
            List.of(new double[40], new java.math.BigDecimal("1.5"), "x".repeat(70), Optional.of(1L), true)
        }) {
            byte[] message = RoundTrip.bytes(value);
            for (int length = 0; length < message.length; length++) {
                byte[] cut = java.util.Arrays.copyOf(message, length);
                reading(cut).hasMessageNotContaining("Exception");
            }
        }
    }

    @Test
    void backReferencesReachOnlyClassesThatWereMet() {
        for (int index : new int[] {1, 2, 127}) {
            for (int tag : new int[] {Tag.RECORD, Tag.ENUM, Tag.ENUM_SET, Tag.ENUM_MAP}) {
                reading(RoundTrip.message(tag, index, 0, 0, 0)).hasMessageEndingWith("class number " + index + " of 0");
            }
        }
        reading(RoundTrip.message(Tag.RECORD, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01))
                .hasMessageEndingWith("class number -1 of 0");
        reading(RoundTrip.message(Tag.LONG, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02))
                .hasMessageEndingWith("a number of more than 64 bits");
    }

    @Test
    void wrongNumbersOfComponentsAndConstantsAreNoticed() {
        byte[] circle = RoundTrip.bytes(new Circle(1));
        int count = circle.length - 8 - 1 - 4 - 1; // before hash, tag and double
        assertThat(circle[count]).isEqualTo((byte) 1);
        circle[count] = 2;
        reading(circle)
                .hasMessageContaining("contains a different version of ")
                .hasMessageContaining("RoundTrip$Circle");
        reading(naming(Tag.RECORD, OwnShape.ENUM, Circle.class.getName()))
                .hasMessageContaining("a different version of ");
        reading(naming(Tag.RECORD, OwnShape.RECORD, Colour.class.getName()))
                .hasMessageContaining("a different version of ");
        reading(RoundTrip.message(Tag.RECORD, 0, OwnShape.RECORD, 0)).hasMessageEndingWith("a class name of 0 bytes");
        reading(RoundTrip.message(Tag.RECORD, 0, OwnShape.RECORD, 0xFF, 0xFF, 0x7F))
                .hasMessageEndingWith("a class name of 2097151 bytes");
    }

    @Test
    void keysTwiceAreNoMap() {
        reading(RoundTrip.message(Tag.MAP_OF, 2, Tag.TRUE, Tag.NULL, Tag.TRUE, Tag.NULL))
                .hasMessageEndingWith("null is not allowed here");
        reading(RoundTrip.message(Tag.MAP_OF, 2, Tag.TRUE, Tag.FALSE, Tag.TRUE, Tag.FALSE))
                .hasMessageContaining("duplicate key");
        reading(RoundTrip.message(Tag.HASH_MAP, 2, Tag.TRUE, Tag.FALSE, Tag.TRUE, Tag.TRUE))
                .hasMessageEndingWith("contains equal keys in a map of 2");
    }

    /// Strings with equal hash codes: `HashMap` uses trees for these, so the cost is n log n, not quadratic.
    @Test
    void keysThatCollideCostNoSquare() {
        int bits = 15;
        Map<String, Integer> colliding = HashMap.newHashMap(1 << bits);
        for (int i = 0; i < 1 << bits; i++) {
            StringBuilder key = new StringBuilder();
            for (int bit = 0; bit < bits; bit++) {
                key.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            colliding.put(key.toString(), i);
        }
        org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(
                java.time.Duration.ofSeconds(300),
                () -> assertThat(RoundTrip.of(colliding)).isEqualTo(colliding));
    }

    /// Measures bytes allocated by this thread, not time. A false length must not cause an allocation; a true
    /// length may cause an allocation of a few times that length.
    @Test
    void allocationIsBoundedByTheReceivedBytes() throws Exception {
        ObjectCodec codec = new ObjectCodec();
        long seed = Long.getLong("tutti.test.seed", 20260103);
        for (int i = 0; i < 20_000; i++) {
            SplittableRandom random = new SplittableRandom(seed + i);
            byte[] message = new byte[1000];
            random.nextBytes(message);
            message[0] = (byte) Tag.FORMAT;
            message[1] = (byte) (Tag.BOOLEANS + random.nextInt(Tag.ENUM_MAP - Tag.BOOLEANS + 1));
            if (random.nextBoolean()) {
                message[2] = (byte) (0x80 | random.nextInt(128));
                message[3] = (byte) random.nextInt(8);
            }
            decodeOrReject(codec, message); // loads classes, which allocates
            long before = allocatedBytes();
            decodeOrReject(codec, message);
            assertThat(allocatedBytes() - before).as("seed %d", seed + i).isLessThan(500_000);
        }
    }

    private static void decodeOrReject(ObjectCodec codec, byte[] message) {
        try {
            codec.decode(MemorySegment.ofArray(message), 0, message.length, Object.class);
        } catch (CodecException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    /// By reflection, because the module under test does not read `jdk.management`.
    private static long allocatedBytes() throws ReflectiveOperationException {
        Object threads = Class.forName("java.lang.management.ManagementFactory")
                .getMethod("getThreadMXBean")
                .invoke(null);
        return (long) Class.forName("com.sun.management.ThreadMXBean")
                .getMethod("getCurrentThreadAllocatedBytes")
                .invoke(threads);
    }

    @Test
    void everyMutationIsDecodedOrRejectedClearly() {
        EnumMap<Colour, Object> enums = new EnumMap<>(Map.of(Colour.RED, 1));
        List<byte[]> seeds = new ArrayList<>();
        for (Object value : new Object[] {
            Map.of("a", 7, "b", 3.14, "c", Set.of(1, 2, 3)),
            new Job(7, List.of(new Item("a", new Square(1, Colour.GREEN)), new Item("b", new int[][] {{1, 2}, {3}}))),
            new ArrayList<>(List.of(new HashMap<>(Map.of(1L, "x")), new TreeMap<>(Map.of("k", "v")), Optional.of(1))),
            new Object[] {
                EnumSet.allOf(Colour.class), enums, new Figure[] {new Circle(2)}, LocalDate.EPOCH, "日本", new boolean[9]
            },
            new double[40]
        }) {
            seeds.add(RoundTrip.bytes(value));
        }
        long seed = Long.getLong("tutti.test.seed", 20260101);
        int mutations = Boolean.getBoolean("tutti.full") ? 150_000 : 30_000;
        ObjectCodec codec = new ObjectCodec();
        int values = 0;
        for (int i = 0; i < mutations; i++) {
            SplittableRandom random = new SplittableRandom(seed + i);
            byte[] message = mutated(seeds.get(random.nextInt(seeds.size())), random);
            try {
                codec.decode(MemorySegment.ofArray(message), 0, message.length, Object.class);
                values++;
            } catch (CodecException e) {
                assertThat(e.getMessage()).isNotBlank();
            } catch (Throwable t) {
                throw new AssertionError("repeat with -Dtutti.test.seed=" + (seed + i), t);
            }
        }
        assertThat(values).isBetween(mutations / 150, mutations - mutations / 15);
    }

    private static byte[] mutated(byte[] valid, SplittableRandom random) {
        byte[] message = java.util.Arrays.copyOf(
                valid, random.nextInt(4) == 0 ? random.nextInt(valid.length + 8) : valid.length);
        for (int n = random.nextInt(4); n >= 0 && message.length > 1; n--) {
            int at = 1 + random.nextInt(message.length - 1);
            message[at] = switch (random.nextInt(4)) {
                case 0 -> (byte) random.nextInt(256);
                case 1 -> (byte) (message[at] ^ 1 << random.nextInt(8));
                case 2 -> (byte) random.nextInt(Tag.ENUM_MAP + 1);
                default -> message[1 + random.nextInt(message.length - 1)];
            };
        }
        return message;
    }
}
