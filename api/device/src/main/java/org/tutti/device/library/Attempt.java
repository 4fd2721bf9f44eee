package org.tutti.device.library;

import org.jspecify.annotations.Nullable;

/// Something that was tried on the way to a device.
///
/// @param what a library's name or path, or a call
/// @param failure why it failed, in the loader's or the library's words; null when it did not
public record Attempt(String what, @Nullable String failure) {
    @Override
    public String toString() {
        return what + ": " + (failure == null ? "found" : failure);
    }
}
