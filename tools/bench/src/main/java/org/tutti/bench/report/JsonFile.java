package org.tutti.bench.report;

import java.util.List;

/// One object: what was run with, and a list of results, each with its rows as objects.
final class JsonFile {
    private static final int FIRST_PRINTABLE = 0x20;

    private JsonFile() {}

    static String of(List<Result> results, String version) {
        StringBuilder text = new StringBuilder("{\n");
        text.append("  \"tutti\": ").append(string(version)).append(",\n");
        text.append("  \"java\": ")
                .append(string(System.getProperty("java.runtime.version", "")))
                .append(",\n");
        String os = System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch");
        text.append("  \"os\": ").append(string(os)).append(",\n");
        text.append("  \"results\": [");
        String before = "\n";
        for (Result result : results) {
            text.append(before);
            append(text, result);
            before = ",\n";
        }
        return text.append("\n  ]\n}\n").toString();
    }

    private static void append(StringBuilder text, Result result) {
        String device = result.device().isEmpty() ? "" : ",\n      \"device\": " + string(result.device());
        text.append("    {\n      \"test\": ")
                .append(string(result.options().test().word()))
                .append(",\n      \"ranks\": ")
                .append(result.ranks())
                .append(",\n      \"engine\": ")
                .append(string(result.engine()))
                .append(",\n      \"buffer\": ")
                .append(string(result.options().storage().word()))
                .append(device)
                .append(",\n      \"type\": ")
                .append(string(result.options().type().word()))
                .append(",\n      \"rows\": [");
        String before = "\n";
        for (List<Object> row : result.rows()) {
            text.append(before).append("        {");
            for (int i = 0; i < row.size(); i++) {
                text.append(i == 0 ? "" : ", ")
                        .append(string(result.columns().get(i)))
                        .append(": ")
                        .append(value(row.get(i)));
            }
            text.append('}');
            before = ",\n";
        }
        text.append("\n      ]\n    }");
    }

    /// JSON has no infinity and nothing that is no number.
    private static String value(Object value) {
        return switch (value) {
            case Double d when !Double.isFinite(d) -> "null";
            case Number number -> number.toString();
            default -> string(value.toString());
        };
    }

    private static String string(String value) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') text.append('\\').append(c);
            else if (c < FIRST_PRINTABLE) text.append("\\u%04x".formatted((int) c));
            else text.append(c);
        }
        return text.append('"').toString();
    }
}
