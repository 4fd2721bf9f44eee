package org.tutti.train.torch.graph.file;

import java.util.List;
import java.util.Map;

/// The contents of an exported program.
///
/// @param file the file, for messages
/// @param torchVersion the version of PyTorch that has written the file
/// @param isTraining whether the graph has the operators that Python called: true after `torch.export.export`,
///     false after `run_decompositions()`
/// @param sha256 the digest of the graph's JSON, in hexadecimal
/// @param inputNames the names by which a caller passes the user inputs, in the order of the signature; names
///     of nested inputs have dots
/// @param outputNames the names of the user outputs, in order; an output without a name in Python has a number
/// @param ranges the permitted sizes by symbol
/// @param weights the parameters and persistent buffers, by Python's names
/// @param constants the other buffers and constants, by Python's names
public record ExportedProgram(
        String file,
        String torchVersion,
        boolean isTraining,
        String sha256,
        ProgramGraph graph,
        ProgramSignature signature,
        List<String> inputNames,
        List<String> outputNames,
        Map<String, Range> ranges,
        Map<String, StoredTensor> weights,
        Map<String, StoredTensor> constants) {

    /// Permitted sizes, inclusive.
    ///
    /// @param max `Long.MAX_VALUE` for no limit
    public record Range(long min, long max) {}
}
