package org.tutti.device.gpu;

/// What is used of cuBLAS or hipBLAS.
public enum MatrixFunction implements NativeFunction {
    CREATE("p"),
    DESTROY("p"),
    SET_STREAM("pp"),
    /// Handle, two operations, three numbers, `alpha`, `a`, `lda`, `b`, `ldb`, `beta`, `c`, `ldc`.
    MULTIPLY_FLOATS("piiiiippipippi"),
    MULTIPLY_DOUBLES("piiiiippipippi");

    private final String arguments;

    MatrixFunction(String arguments) {
        this.arguments = arguments;
    }

    @Override
    public String arguments() {
        return arguments;
    }

    @Override
    public boolean optional() {
        return false;
    }
}
