package org.tutti.device.source;

import java.util.List;
import java.util.Optional;

/// A kernel source in CUDA C, with the parsed signatures. Each kernel must be declared as `extern "C"
/// __global__ void`. All other checks are left to the compiler.
///
/// @param text the unmodified source
public record KernelSource(String text, List<KernelSignature> kernels) {
    /// The file name of the source in compiler logs.
    public static final String FILE = "kernel.cu";

    public KernelSource {
        kernels = List.copyOf(kernels);
    }

    /// Parses a source.
    ///
    /// @throws SourceException if a kernel's declaration is invalid, or no kernel is declared
    public static KernelSource of(String text) {
        return new KernelSource(text, new SignatureParser(Token.of(text)).kernels());
    }

    public Optional<KernelSignature> kernel(String name) {
        return kernels.stream().filter(k -> k.name().equals(name)).findFirst();
    }
}
