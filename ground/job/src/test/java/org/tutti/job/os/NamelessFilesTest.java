package org.tutti.job.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class NamelessFilesTest {
    private static final String LABEL = "tutti-test-nameless";

    /// A process that lists its open descriptors opens one more descriptor, for the list itself. This
    /// descriptor gets the lowest free number, and is already closed when the entries are read.
    @Test
    void filesAfterTheDescriptorOfTheListAreFound() throws IOException {
        File any = File.createTempFile("tutti", null);
        RandomAccessFile gap = new RandomAccessFile(any, "r");
        try (JobFile file = new PortablePlatform().createFile(LABEL, 1 << 12)) {
            file.hide();
            gap.close();
            assertThat(NamelessFiles.find(LABEL))
                    .extracting(NamelessFiles.Found::pid)
                    .containsExactly(ProcessHandle.current().pid());
        } finally {
            gap.close();
            any.delete();
        }
    }
}
