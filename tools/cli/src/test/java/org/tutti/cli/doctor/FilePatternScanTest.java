package org.tutti.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilePatternScanTest {
    private static final Pattern WORD = Pattern.compile("NCCL_[A-Z0-9_]+");

    @Test
    void findsPatternsAcrossPieces(@TempDir Path directory) throws Exception {
        for (int length : new int[] {0, FilePatternScan.PIECE, 2 * FilePatternScan.PIECE + 300}) {
            StringBuilder text = new StringBuilder("\0".repeat(length));
            // one match across the end of each piece, one at the end of the file
            for (int at = FilePatternScan.PIECE - 7; at + 14 < length; at += FilePatternScan.PIECE) {
                text.replace(at, at + 14, "NCCL_P" + at / FilePatternScan.PIECE + "CROSSES");
            }
            text.append("NCCL_LAST");
            Path file = Files.writeString(directory.resolve("library"), text, StandardCharsets.ISO_8859_1);
            String[] expected = switch (length / FilePatternScan.PIECE) {
                case 0, 1 -> new String[] {"NCCL_LAST"};
                default -> new String[] {"NCCL_P0CROSSES", "NCCL_P1CROSSES", "NCCL_LAST"};
            };
            assertThat(FilePatternScan.find(file, WORD)).containsExactlyInAnyOrder(expected);
        }
    }
}
