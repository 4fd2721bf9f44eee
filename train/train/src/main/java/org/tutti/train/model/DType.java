package org.tutti.train.model;

/// The type of a tensor's elements, with the names that safetensors files use.
public enum DType {
    F64(8),
    F32(4),
    F16(2),
    BF16(2),
    F8_E4M3(1),
    F8_E5M2(1),
    I64(8),
    I32(4),
    I16(2),
    I8(1),
    U64(8),
    U32(4),
    U16(2),
    U8(1),
    BOOL(1);

    private final int sizeBytes;

    DType(int sizeBytes) {
        this.sizeBytes = sizeBytes;
    }

    /// Returns the size of an element, in bytes.
    public int sizeBytes() {
        return sizeBytes;
    }
}
