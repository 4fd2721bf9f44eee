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

/// Words in a file of any length, piece by piece: a library for GPUs has hundreds of megabytes.
final class FilePatternScan {
    static final int PIECE = 1 << 20;
    private static final int LONGEST = 256;

    private FilePatternScan() {}

    /// What `word` matches of a file of single bytes.
    static Set<String> find(Path file, Pattern word) throws IOException {
        Set<String> words = new HashSet<>();
        byte[] bytes = new byte[LONGEST + PIECE];
        int kept = 0;
        try (InputStream in = Files.newInputStream(file)) {
            while (true) {
                int read = in.readNBytes(bytes, kept, PIECE), end = kept + read;
                boolean isLast = read < PIECE;
                Matcher matcher = word.matcher(new String(bytes, 0, end, StandardCharsets.ISO_8859_1));
                // one that reaches the end may go on in the next piece, which has it once more
                while (matcher.find()) if (isLast || matcher.end() < end) words.add(matcher.group());
                if (isLast) return words;
                kept = LONGEST;
                System.arraycopy(bytes, end - kept, bytes, 0, kept);
            }
        }
    }
}
