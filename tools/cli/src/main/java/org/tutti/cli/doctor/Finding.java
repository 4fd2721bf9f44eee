package org.tutti.cli.doctor;

import org.jspecify.annotations.Nullable;

/// One thing that was looked at.
///
/// @param text what is there, with its values
/// @param remedy what to do; null where all is well
public record Finding(Grade grade, String text, @Nullable String remedy) {}
