package org.tutti.device.library;

import org.jspecify.annotations.Nullable;

/// An attempt during the search for devices.
///
/// @param what the name or path of a library, or a call
/// @param failure the reason for the failure, as reported by the loader or the library; null on success
public record Attempt(String what, @Nullable String failure) {
    @Override
    public String toString() {
        return what + ": " + (failure == null ? "found" : failure);
    }
}
