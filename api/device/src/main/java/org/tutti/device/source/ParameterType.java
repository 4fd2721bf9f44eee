package org.tutti.device.source;

/// The types that a parameter of a kernel, or what it points to, may have.
public enum ParameterType {
    CHAR("char", 1),
    UNSIGNED_CHAR("unsigned char", 1),
    SHORT("short", 2),
    UNSIGNED_SHORT("unsigned short", 2),
    INT("int", 4),
    UNSIGNED_INT("unsigned int", 4),
    LONG_LONG("long long", 8),
    UNSIGNED_LONG_LONG("unsigned long long", 8),
    FLOAT("float", 4),
    DOUBLE("double", 8);

    private final String text;
    private final int bytes;

    ParameterType(String text, int bytes) {
        this.text = text;
        this.bytes = bytes;
    }

    public int bytes() {
        return bytes;
    }

    /// As C has it.
    @Override
    public String toString() {
        return text;
    }
}
