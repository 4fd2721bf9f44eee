package org.tutti.job.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServiceSettingsTest {
    private static ServiceSettings again(ServiceSettings settings) {
        Map<String, String> variables = new HashMap<>();
        for (String variable : settings.variables()) {
            int equals = variable.indexOf('=');
            variables.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return ServiceSettings.of(variables);
    }

    @Test
    void variablesHaveTheSettings() {
        ServiceSettings all = new ServiceSettings(
                Path.of("a=b"), 0, "0.0.0.0", List.of("a", "b:1"), Path.of("k.p12"), Path.of("pw"), true, true);
        assertThat(again(all)).isEqualTo(all);
        assertThat(again(ServiceSettings.defaults())).isEqualTo(ServiceSettings.defaults());
        assertThat(ServiceSettings.of(Map.of())).isEqualTo(ServiceSettings.defaults());
    }

    @Test
    void invalidPortsAreRefused() {
        assertThatThrownBy(() -> ServiceSettings.of(Map.of("TUTTI_SERVE_PORT", "x")))
                .hasMessage("TUTTI_SERVE_PORT=x is not a port");
        assertThatThrownBy(() -> ServiceSettings.of(Map.of("TUTTI_SERVE_PORT", "65536")))
                .hasMessage("the port of a service is 0 to 65535, not 65536");
    }
}
