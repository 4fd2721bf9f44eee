package org.tutti.cli.doctor;

import org.jspecify.annotations.Nullable;

/// One result of a check.
///
/// @param text the observation, with values
/// @param remedy the solution; or null
public record Finding(Grade grade, String text, @Nullable String remedy) {}
