package org.tutti.spi.type;

/// A type signature: the sequence of basic types of a type map (MPI 4.1, section 5.1), as a tree of repetitions
/// with a hash. Equal sequences have equal hashes, regardless of how the sequences were constructed: the hash
/// of x followed by y is `hash(x)·B^|y| + hash(y)`. The hash of a million copies costs twenty steps.
public final class Signature {
    private static final long BASE = 0x9E37_79B9_7F4A_7C15L;
    private static final long MIX = 0xBF58_476D_1CE4_E5B9L;

    /// Values of [#code]: no element; elements of several types.
    public static final int NONE = 0, SEVERAL = -1;

    public static final Signature EMPTY = new Signature(1, new Signature[0], NONE, 0, 0, 0, 1);

    /// Called for each run of equal elements.
    @FunctionalInterface
    public interface Visitor {
        void run(int code, long count);
    }

    private final long repeat;
    private final Signature[] parts;
    private final int code;
    private final long bytes;
    private final long elements;
    private final long hash;

    /// `BASE` to the power of the number of elements.
    private final long power;

    private Signature(long repeat, Signature[] parts, int code, long bytes, long elements, long hash, long power) {
        this.repeat = repeat;
        this.parts = parts;
        this.code = code;
        this.bytes = bytes;
        this.elements = elements;
        this.hash = hash;
        this.power = power;
    }

    /// Returns the signature of a single element of a basic type.
    ///
    /// @param code the type's code, positive
    /// @param bytes the type's length
    public static Signature of(int code, long bytes) {
        return new Signature(1, new Signature[0], code, bytes, 1, (code + 1L) * MIX, BASE);
    }

    /// Returns `count` repetitions of this signature.
    public Signature times(long count) {
        if (count == 0 || elements == 0) return EMPTY;
        if (count == 1) return this;
        if (repeat > 1) return parts[0].times(Math.multiplyExact(repeat, count));
        long all = Math.multiplyExact(bytes, count);
        return new Signature(
                count,
                new Signature[] {this},
                code,
                all,
                Math.multiplyExact(elements, count),
                append(0, count),
                power(count));
    }

    /// Returns the concatenation of the signatures.
    public static Signature concat(Signature... list) {
        int n = 0;
        for (Signature s : list) if (s.elements > 0) n++;
        if (n == 0) return EMPTY;
        Signature[] parts = new Signature[n];
        n = 0;
        for (Signature s : list) if (s.elements > 0) parts[n++] = s;
        if (n == 1) return parts[0];
        int code = parts[0].code;
        long bytes = 0, elements = 0, hash = 0, power = 1;
        for (Signature s : parts) {
            if (s.code != code) code = SEVERAL;
            bytes = Math.addExact(bytes, s.bytes);
            elements = Math.addExact(elements, s.elements);
            hash = hash * s.power + s.hash;
            power *= s.power;
        }
        return new Signature(1, parts, code, bytes, elements, hash, power);
    }

    /// Returns the code that all elements have; [#NONE] without elements, [#SEVERAL] if the codes differ.
    public int code() {
        return code;
    }

    /// Returns the number of bytes of the basic elements, including the gaps at the end of pairs.
    public long bytes() {
        return bytes;
    }

    /// Returns the number of basic elements.
    public long elements() {
        return elements;
    }

    /// Returns the hash of the first `length` bytes of endless repetitions of this signature. A partial element
    /// counts as a separate type.
    public long hash(long length) {
        if (bytes == 0) return 0;
        return prefix(append(0, length / bytes), length % bytes);
    }

    /// Returns the number of basic elements in the first `length` bytes of endless repetitions of this
    /// signature; -1 if the last element is partial.
    public long elements(long length) {
        if (bytes == 0) return length == 0 ? 0 : -1;
        long rest = prefixElements(length % bytes);
        return rest < 0 ? -1 : length / bytes * elements + rest;
    }

    /// Visits the elements in order. Consecutive elements of equal type are visited as one run only if they
    /// belong to one node of the tree.
    public void visit(Visitor visitor) {
        if (elements == 0) return;
        if (parts.length == 0) {
            visitor.run(code, 1);
        } else if (code > 0) {
            visitor.run(code, elements);
        } else {
            for (long i = 0; i < repeat; i++) for (Signature s : parts) s.visit(visitor);
        }
    }

    /// Returns the hash of the elements with hash `before`, followed by `count` copies of this signature.
    private long append(long before, long count) {
        long sum = before, copy = hash, shift = power;
        for (long n = count; n > 0; n >>>= 1) {
            if ((n & 1) != 0) sum = sum * shift + copy;
            copy = copy * shift + copy;
            shift *= shift;
        }
        return sum;
    }

    private long power(long count) {
        long product = 1, shift = power;
        for (long n = count; n > 0; n >>>= 1) {
            if ((n & 1) != 0) product *= shift;
            shift *= shift;
        }
        return product;
    }

    /// Returns the hash of the elements with hash `before`, followed by the first `length` bytes of this
    /// signature, which has more than `length` bytes.
    private long prefix(long before, long length) {
        if (length == 0) return before;
        if (parts.length == 0) return before * BASE + ~length * MIX;
        if (repeat > 1) {
            Signature each = parts[0];
            return each.prefix(each.append(before, length / each.bytes), length % each.bytes);
        }
        long sum = before, rest = length;
        for (Signature s : parts) {
            if (rest < s.bytes) return s.prefix(sum, rest);
            sum = sum * s.power + s.hash;
            rest -= s.bytes;
        }
        return sum;
    }

    private long prefixElements(long length) {
        if (length == 0) return 0;
        if (parts.length == 0) return -1;
        if (repeat > 1) {
            Signature each = parts[0];
            long rest = each.prefixElements(length % each.bytes);
            return rest < 0 ? -1 : length / each.bytes * each.elements + rest;
        }
        long sum = 0, rest = length;
        for (Signature s : parts) {
            if (rest < s.bytes) {
                long cut = s.prefixElements(rest);
                return cut < 0 ? -1 : sum + cut;
            }
            sum += s.elements;
            rest -= s.bytes;
        }
        return sum;
    }
}
