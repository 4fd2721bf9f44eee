/// What contracts are written with: the trial of one rank, data in every kind of memory, covering arrays,
/// expected
/// values from plain loops, and checks whose texts name the rank.
///
///     Trial ──▶ Row (of a covering array) ──▶ Box (elements in one kind of memory) ──Buf──▶ the call under test
///                └────────────── Plain (expected values) ──────────────▶ Check
///
/// Rules: nothing here knows an engine or a test framework; what is random comes from
/// [org.tutti.conformance.trial.Trial#random], which gives the same numbers on every rank.
@NullMarked
package org.tutti.conformance.trial;

import org.jspecify.annotations.NullMarked;
