package org.tutti.cli.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Searches a file for a pattern. Reads the file in pieces, because a library for GPUs may have hundreds of MB.
final class FilePatternScan {
    static final int PIECE = 1 << 20;
    private static final int LONGEST = 256;

    private FilePatternScan() {}

    /// Returns the matches of `word` in a file, decoded as single bytes.
    static Set<String> find(Path file, Pattern word) throws IOException {
        Set<String> words = new HashSet<>();
        byte[] bytes = new byte[LONGEST + PIECE];
        int kept = 0;
        try (InputStream in = Files.newInputStream(file)) {
            while (true) {
                int read = in.readNBytes(bytes, kept, PIECE), end = kept + read;
                boolean isLast = read < PIECE;
                Matcher matcher = word.matcher(new String(bytes, 0, end, StandardCharsets.ISO_8859_1));
                // a match at the end of a piece may be incomplete; the next piece contains it again
                while (matcher.find()) if (isLast || matcher.end() < end) words.add(matcher.group());
                if (isLast) return words;
                kept = LONGEST;
                System.arraycopy(bytes, end - kept, bytes, 0, kept);
            }
        }
    }
}
