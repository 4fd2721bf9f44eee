package org.tutti.futures;

/// Rewrites the codec's error messages about values that cannot be sent, so that they do not mention the
/// internal message.
final class ValueTexts {
    private ValueTexts() {}

    /// Rewrites the error about a message to a worker, so that it names the part of the task that cannot be
    /// sent.
    static String sent(String text) {
        return path(text)
                .replaceFirst("^Object\\[1]\\[[01]]\\[3]\\[\\d+]", "captured value")
                .replaceFirst("^Object\\[2]\\[\\d+]", "argument");
    }

    /// Rewrites the error about an answer.
    static String result(String text) {
        return path(text).replaceFirst("^Object\\[1]\\[\\d+](: )?", "");
    }

    static String path(String text) {
        String plain = text;
        int call = plain.indexOf(": ");
        if (call >= 0 && plain.substring(0, call).endsWith("Object")) plain = plain.substring(call + 2);
        int rankAt = plain.lastIndexOf(" (rank ");
        return rankAt > 0 && plain.endsWith(")") ? plain.substring(0, rankAt) : plain;
    }
}
