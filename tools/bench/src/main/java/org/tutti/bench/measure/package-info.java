/// What all measurements are made with, in the ranks: data, how often, and what rank 0 tells.
///
///     BenchMemory ──▶ Data (buffers, with a Pattern to look for)
///     Pace (warm-up, iterations) ──▶ Report ──lines──▶ the launcher
///
/// Rules: the user API alone, with that of devices, so that what is measured is what a user gets;
/// nothing is decided or told inside what is measured.
@NullMarked
package org.tutti.bench.measure;

import org.jspecify.annotations.NullMarked;
