package org.tutti.job.process;

import java.util.regex.Pattern;

/// Removes the C++ stack that libtorch appends to the message of an exception. This stack would put several kB
/// between the message and the program's line.
final class NativeFrames {
    /// The line that introduces the frames, the frames, and the empty line that ends the message.
    private static final Pattern FRAMES = Pattern.compile(
            "\\R?^Exception raised from .*\\(most recent call first\\):$(\\R^frame #\\d+: .*$)*\\R?",
            Pattern.MULTILINE);

    private static final String FIRST = "(most recent call first):";

    private NativeFrames() {}

    static String removed(String text) {
        return text.contains(FIRST) ? FRAMES.matcher(text).replaceAll("") : text;
    }
}
