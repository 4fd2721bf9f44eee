package org.tutti.device.source;

import java.util.List;
import java.util.Optional;

/// A source of kernels in CUDA C, with what was read of it: the kernels, each `extern "C" __global__
/// void`, and the types of their parameters. All else is left to the compiler.
///
/// @param text as it was written
public record KernelSource(String text, List<KernelSignature> kernels) {
    /// What compilers are to call the source in their logs.
    public static final String FILE = "kernel.cu";

    public KernelSource {
        kernels = List.copyOf(kernels);
    }

    /// Reads a source.
    ///
    /// @throws SourceException when a kernel's head is not understood, or there is no kernel
    public static KernelSource of(String text) {
        return new KernelSource(text, new SignatureParser(Token.of(text)).kernels());
    }

    public Optional<KernelSignature> kernel(String name) {
        return kernels.stream().filter(k -> k.name().equals(name)).findFirst();
    }
}
