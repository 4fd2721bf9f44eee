package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LocaleCheckTest {
    private static final String ASCII = "ANSI_X3.4-1968";

    @Test
    void namesTheArgumentThatWasLost() {
        assertThat(LocaleCheck.problem(new String[] {"run", "Gr\uFFFD\uFFFDe.java"}, "/home/ada", ASCII))
                .isEqualTo("the argument Gr\uFFFD\uFFFDe.java has characters that the locale does not have"
                        + " (ANSI_X3.4-1968); start with LC_ALL=C.UTF-8, as ./tutti does");
    }

    @Test
    void namesTheDirectory() {
        assertThat(LocaleCheck.problem(new String[] {"run", "A.java"}, "/home/J\uFFFDrg", ASCII))
                .startsWith("the directory /home/J\uFFFDrg has characters");
    }

    @Test
    void acceptsCharactersOfTheLocale() {
        String[] words = {"run", "Gr\u00fc\u00dfe.java"};
        assertThat(LocaleCheck.problem(words, "/home/ada", "UTF-8")).isNull();
        assertThat(LocaleCheck.problem(words, "/home/ada", "ISO-8859-1")).isNull();
        assertThat(LocaleCheck.problem(words, "/home/ada", "ISO-8859-5")).isNotNull();
        assertThat(LocaleCheck.problem(new String[] {"run", "A.java"}, "/home/ada", ASCII))
                .isNull();
    }
}
