package org.tutti.launch.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShellArgumentTest {
    @Test
    void quotesArgumentsForAShell() throws Exception {
        for (String word : List.of("plain", "", "a b", "it's", "$HOME", "a;b", "ä")) {
            Process shell = new ProcessBuilder("sh", "-c", "printf %s " + ShellArgument.quoted(word)).start();
            String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(output).isEqualTo(word);
            assertThat(shell.waitFor()).isZero();
        }
    }
}
