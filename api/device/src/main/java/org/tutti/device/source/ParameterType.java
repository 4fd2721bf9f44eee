package org.tutti.device.source;

/// The types of a kernel parameter, or of the target of a pointer parameter.
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

    /// Returns the type in C.
    @Override
    public String toString() {
        return text;
    }
}
