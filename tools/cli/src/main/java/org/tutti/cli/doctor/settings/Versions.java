package org.tutti.cli.doctor.settings;

/// Compares versions as numbers separated by dots; text after a number, as in `5.0.0rc2`, is ignored.
final class Versions {
    private Versions() {}

    static int compare(String a, String b) {
        String[] as = a.split("\\."), bs = b.split("\\.");
        for (int i = 0; i < Math.max(as.length, bs.length); i++) {
            int order = Integer.compare(i < as.length ? number(as[i]) : 0, i < bs.length ? number(bs[i]) : 0);
            if (order != 0) return order;
        }
        return 0;
    }

    private static int number(String part) {
        int end = 0;
        while (end < part.length() && Character.isDigit(part.charAt(end)) && end < 9) end++;
        return end == 0 ? 0 : Integer.parseInt(part.substring(0, end));
    }
}
