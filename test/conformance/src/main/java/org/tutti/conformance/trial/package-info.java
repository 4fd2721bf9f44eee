/// Tools for contracts: the execution on one rank, data in every kind of memory, covering arrays, expected
/// values from plain loops, and checks with error texts that contain the rank.
///
///     Trial ──▶ Row (of a covering array) ──▶ Box (elements in one kind of memory) ──Buf──▶ the call under test
///                └────────────── Plain (expected values) ──────────────▶ Check
///
/// Rules: independent of engines and of a test framework. The source of random data is
/// [org.tutti.conformance.trial.Trial#random], which returns the same numbers on every rank.
@NullMarked
package org.tutti.conformance.trial;

import org.jspecify.annotations.NullMarked;
