package org.tutti.launch.rank;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AotCacheTest {
    @Test
    void usesNoCacheThatDoesNotFit() {
        assertThat(AotCache.allows(List.of("-Da=b", "-Xmx2g", "-ea", "-Xmx100000k")))
                .isTrue();
        assertThat(AotCache.allows(List.of("-XX:TieredStopAtLevel=1"))).isTrue();
        assertThat(AotCache.allows(List.of("-Xmx32g"))).isFalse();
        assertThat(AotCache.allows(List.of("-Xmx1t"))).isFalse();
        assertThat(AotCache.allows(List.of("-XX:+UseZGC"))).isFalse();
        assertThat(AotCache.allows(List.of("--add-opens=a/b=c"))).isFalse();
    }
}
