package org.tutti.futures;

/// What the codec says of a value that does not travel, without the words on the message that the user
/// did not send.
final class ValueTexts {
    private ValueTexts() {}

    /// Of a message to a worker: which part of the task it is.
    static String sent(String text) {
        return path(text)
                .replaceFirst("^Object\\[1]\\[[01]]\\[3]\\[\\d+]", "captured value")
                .replaceFirst("^Object\\[2]\\[\\d+]", "argument");
    }

    /// Of an answer.
    static String result(String text) {
        return path(text).replaceFirst("^Object\\[1]\\[\\d+](: )?", "");
    }

    static String path(String text) {
        String plain = text;
        int call = plain.indexOf(": ");
        if (call >= 0 && plain.substring(0, call).endsWith("Object")) plain = plain.substring(call + 2);
        int who = plain.lastIndexOf(" (rank ");
        return who > 0 && plain.endsWith(")") ? plain.substring(0, who) : plain;
    }
}
