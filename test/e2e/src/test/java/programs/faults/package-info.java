/// Files that fail on demand, for programs of tests.
///
///     FailurePoints ──▶ FaultyFileSystem ── the k-th operation fails ── Faults
///     StoredFiles: random content up to the limits, and files with flipped, missing or repeated bytes
@NullMarked
package programs.faults;

import org.jspecify.annotations.NullMarked;
