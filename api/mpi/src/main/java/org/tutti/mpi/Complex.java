package org.tutti.mpi;

/// A complex number. It can be sent as an object, and as a part of other objects. All methods are local.
///
/// @param re the real part
/// @param im the imaginary part
public record Complex(double re, double im) {
    /// The number 0.
    public static final Complex ZERO = new Complex(0, 0);

    /// The square root of -1.
    public static final Complex I = new Complex(0, 1);

    /// Returns the sum.
    public Complex plus(Complex other) {
        return new Complex(re + other.re, im + other.im);
    }

    /// Returns the difference.
    public Complex minus(Complex other) {
        return new Complex(re - other.re, im - other.im);
    }

    /// Returns the product.
    public Complex times(Complex other) {
        return new Complex(re * other.re - im * other.im, re * other.im + im * other.re);
    }

    /// Returns the conjugate.
    public Complex conj() {
        return new Complex(re, -im);
    }

    /// Returns the distance from 0. Intermediate results do not overflow.
    public double abs() {
        return Math.hypot(re, im);
    }

    /// Returns the number in the form `2.0+3.0i`.
    @Override
    public String toString() {
        boolean minus = Double.compare(im, 0) < 0;
        return re + (minus ? "" : "+") + im + "i";
    }
}
