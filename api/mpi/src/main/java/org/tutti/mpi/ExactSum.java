package org.tutti.mpi;

import java.math.BigInteger;
import java.util.Arrays;

/// The sum of any number of `double`s or `float`s without intermediate rounding: only the result is rounded,
/// once, to the nearest value. The sum therefore depends only on the numbers, not on order, distribution over
/// ranks, number of ranks, or engine.
///
///     ExactSum sum = new ExactSum();
///     sum.add(myPart);                 // a double[] or float[]
///     world.allreduce(sum);            // of all ranks; any number of sums in one call
///     double total = sum.value();      // the same bits on 1 rank and on 1000
///
/// Infinities and NaN behave as in any sum; an exact zero is +0. Intermediate sums do not overflow. An object
/// must be used by only one thread at a time. All methods are local. [Comm#allreduce(ExactSum...)] sums over
/// the ranks.
///
/// The accumulator consists of 68 limbs of 32 bits each, plus additional bits for carries: a message has 568
/// bytes instead of 8 bytes, and an addition is a few nanoseconds slower than an addition with rounding. This
/// is a long accumulator (Kulisch), as described by Neal, "Fast exact summation using small and large
/// superaccumulators", 2015.
public final class ExactSum {
    /// The number of limbs. The unit of limb i is `2^(32 i - 1074)`. The last limbs store carries and the sign.
    private static final int WORDS = 68;

    private static final int NANS = WORDS, POSITIVE = WORDS + 1, NEGATIVE = WORDS + 2;
    static final int LENGTH = WORDS + 3;

    private static final long LOW = 0xffff_ffffL;
    private static final int DOUBLE_BITS = 53, FLOAT_BITS = 24;
    private static final int LEAST_DOUBLE = -1074, LEAST_FLOAT = -149;

    /// The maximum number of additions to a limb before carries must be propagated. Each addition adds less
    /// than 2^32.
    private static final int MOST_UNSETTLED = 1 << 30;

    private final long[] words = new long[LENGTH];
    private int unsettled;

    /// Creates an empty sum.
    public ExactSum() {}

    /// Adds a number, and returns this.
    public ExactSum add(double x) {
        long bits = Double.doubleToRawLongBits(x);
        int exponent = (int) (bits >>> 52) & 0x7ff;
        if (exponent == 0x7ff) {
            words[Double.isNaN(x) ? NANS : x > 0 ? POSITIVE : NEGATIVE]++;
            return this;
        }
        if (unsettled == MOST_UNSETTLED) settle();
        unsettled++;
        long fraction = bits & 0xf_ffff_ffff_ffffL;
        int place = exponent == 0 ? 0 : exponent - 1;
        if (exponent != 0) fraction |= 1L << 52;
        int at = place >>> 5;
        int shift = place & 31;
        long low = (fraction & LOW) << shift;
        long high = (fraction >>> 32) << shift;
        long sign = bits >> 63; // 0 or -1: x ^ sign - sign is x or -x
        words[at] += (low & LOW ^ sign) - sign;
        words[at + 1] += ((low >>> 32) + (high & LOW) ^ sign) - sign;
        words[at + 2] += (high >>> 32 ^ sign) - sign;
        return this;
    }

    /// Adds all numbers, and returns this.
    public ExactSum add(double[] numbers) {
        for (double x : numbers) add(x);
        return this;
    }

    /// Adds all numbers, and returns this.
    public ExactSum add(float[] numbers) {
        for (float x : numbers) add((double) x);
        return this;
    }

    /// Adds the sum of `other`, which does not change, and returns this.
    public ExactSum add(ExactSum other) {
        settle();
        if (other != this) other.settle();
        for (int i = 0; i < LENGTH; i++) words[i] += other.words[i];
        settle();
        return this;
    }

    /// Resets the sum to empty, and returns this.
    public ExactSum clear() {
        Arrays.fill(words, 0);
        unsettled = 0;
        return this;
    }

    /// Returns the sum, rounded to the nearest `double`; if two `double`s are equally near, rounded to the even
    /// one.
    public double value() {
        return rounded(DOUBLE_BITS, LEAST_DOUBLE);
    }

    /// Returns the sum, rounded once to the nearest `float`.
    public float floatValue() {
        return (float) rounded(FLOAT_BITS, LEAST_FLOAT);
    }

    /// Propagates carries, so that each limb except the last is from 0 to 2^32 - 1.
    private void settle() {
        long carry = 0;
        for (int i = 0; i < WORDS - 1; i++) {
            long w = words[i] + carry;
            words[i] = w & LOW;
            carry = w >> 32;
        }
        words[WORDS - 1] += carry;
        unsettled = 0;
    }

    /// Rounds the sum to the nearest number with at most `bits` significant bits, none of which has a value
    /// below 2^`least`.
    private double rounded(int bits, int least) {
        if (words[NANS] > 0 || words[POSITIVE] > 0 && words[NEGATIVE] > 0) return Double.NaN;
        if (words[POSITIVE] > 0) return Double.POSITIVE_INFINITY;
        if (words[NEGATIVE] > 0) return Double.NEGATIVE_INFINITY;
        BigInteger exact = exact();
        BigInteger size = exact.abs();
        int dropped = Math.max(0, Math.max(size.bitLength() - bits, least - LEAST_DOUBLE));
        long kept = size.shiftRight(dropped).longValueExact();
        if (dropped > 0 && size.testBit(dropped - 1)) {
            boolean isHalf = size.getLowestSetBit() == dropped - 1;
            if (!isHalf || (kept & 1) != 0) kept++;
        }
        int exponent = dropped + LEAST_DOUBLE;
        double nearest = exponent + bits > 1100 ? Double.POSITIVE_INFINITY : Math.scalb((double) kept, exponent);
        return exact.signum() < 0 ? -nearest : nearest;
    }

    /// Returns the sum in units of 2^-1074.
    private BigInteger exact() {
        settle();
        byte[] bytes = new byte[8 + 4 * (WORDS - 1)];
        long top = words[WORDS - 1];
        for (int i = 0; i < 8; i++) bytes[i] = (byte) (top >> 56 - 8 * i);
        for (int i = 0; i < WORDS - 1; i++) {
            int at = bytes.length - 4 * (i + 1);
            for (int k = 0; k < 4; k++) bytes[at + k] = (byte) (words[i] >> 24 - 8 * k);
        }
        return new BigInteger(bytes);
    }

    /// Writes the limbs. The limbs of several sums can be added, and then represent the total.
    void write(long[] into, int at) {
        settle();
        System.arraycopy(words, 0, into, at, LENGTH);
    }

    void read(long[] from, int at) {
        System.arraycopy(from, at, words, 0, LENGTH);
        settle();
    }

    /// Returns a string with the sum, rounded to a `double`.
    @Override
    public String toString() {
        return "ExactSum " + value();
    }
}
