package org.tutti.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What starts ranks as processes from within a program: a service that a launcher offers, declared in
/// module-info and in META-INF/services.
public interface Spawner {
    /// Where ranks begin.
    ///
    /// @param type the class whose main method it is, or that has the method
    /// @param method the name of a static method that takes the arguments; null for the main method
    /// @param descriptor of that method, as `([Ljava/lang/String;)V`; empty for the main method
    record Entry(Class<?> type, @Nullable String method, String descriptor) {}

    /// Starts `size` ranks, passes on what they print, and returns when all have ended well.
    ///
    /// @throws Fault `ERR_ARG` when ranks could not begin there, `ERR_PROC_FAILED`
    ///     when one failed; none is left then
    /// @throws InterruptedException when the calling thread was interrupted; none is left then
    void spawn(int size, Entry entry, List<String> arguments) throws InterruptedException;
}
