package org.tutti.train.torch.graph.file;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.train.model.DType;

/// The file's numbering of tensor types and layouts.
public final class TensorTypes {
    private static final List<String> LAYOUTS =
            List.of("unknown", "SparseCoo", "SparseCsr", "SparseCsc", "SparseBsr", "SparseBsc", "mkldnn", "strided");

    private TensorTypes() {}

    /// Reads the code of a type, and refuses codes that PyTorch does not use.
    static int checked(GraphJson json) throws IOException {
        int code = json.code();
        if (code >= 1 && code <= 13 || code >= 28 && code <= 35) return code;
        throw json.refused("has the unknown tensor type " + code);
    }

    /// Returns the type of stored numbers, or null if it is not supported.
    public static @Nullable DType stored(int code) {
        return switch (code) {
            case 1 -> DType.U8;
            case 2 -> DType.I8;
            case 3 -> DType.I16;
            case 4 -> DType.I32;
            case 5 -> DType.I64;
            case 6 -> DType.F16;
            case 7 -> DType.F32;
            case 8 -> DType.F64;
            case 12 -> DType.BOOL;
            case 13 -> DType.BF16;
            case 28 -> DType.U16;
            case 29 -> DType.F8_E4M3;
            case 30 -> DType.F8_E5M2;
            case 34 -> DType.U32;
            case 35 -> DType.U64;
            default -> null;
        };
    }

    /// Returns the type for the name of a storage class or of a type; null if the type is not supported.
    static @Nullable DType named(String name) {
        return switch (name) {
            case "ByteStorage" -> DType.U8;
            case "CharStorage" -> DType.I8;
            case "ShortStorage" -> DType.I16;
            case "IntStorage" -> DType.I32;
            case "LongStorage" -> DType.I64;
            case "HalfStorage" -> DType.F16;
            case "FloatStorage" -> DType.F32;
            case "DoubleStorage" -> DType.F64;
            case "BoolStorage" -> DType.BOOL;
            case "BFloat16Storage" -> DType.BF16;
            case "uint16" -> DType.U16;
            case "uint32" -> DType.U32;
            case "uint64" -> DType.U64;
            case "float8_e4m3fn" -> DType.F8_E4M3;
            case "float8_e5m2" -> DType.F8_E5M2;
            default -> null;
        };
    }

    /// Returns PyTorch's name of a type that [#stored] does not support.
    public static String name(int code) {
        return switch (code) {
            case 9 -> "complex32";
            case 10 -> "complex64";
            case 11 -> "complex128";
            case 31 -> "float8_e4m3fnuz";
            case 32 -> "float8_e5m2fnuz";
            case 33 -> "float8_e8m0fnu";
            default -> "of type " + code;
        };
    }

    static String layout(int code) {
        return code >= 0 && code < LAYOUTS.size() ? LAYOUTS.get(code) : String.valueOf(code);
    }
}
