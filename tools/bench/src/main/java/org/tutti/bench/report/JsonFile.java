package org.tutti.bench.report;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.tutti.launch.text.Json;

/// A JSON object: the parameters, and a list of results, each with the rows as objects.
final class JsonFile {
    /// The depth down to which each element is on a separate line, so that each row is one line.
    private static final int INDENTED = 4;

    private JsonFile() {}

    /// Writes the object and closes the stream.
    static void write(OutputStream out, List<Result> results, String version) throws IOException {
        String os = System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch");
        try (Json json = new Json(out, INDENTED)) {
            json.open('{').name("tutti").value(version);
            json.name("java").value(System.getProperty("java.runtime.version", ""));
            json.name("os").value(os).name("results").open('[');
            for (Result result : results) append(json, result);
            json.close(']').close('}');
        }
    }

    private static void append(Json json, Result result) throws IOException {
        json.open('{').name("test").value(result.options().test().word());
        json.name("ranks").value(result.ranks()).name("engine").value(result.engine());
        json.name("buffer").value(result.options().storage().word());
        if (!result.device().isEmpty()) json.name("device").value(result.device());
        json.name("type").value(result.options().type().word()).name("rows").open('[');
        for (List<Object> row : result.rows()) {
            json.open('{');
            for (int i = 0; i < row.size(); i++) {
                json.name(result.columns().get(i));
                if (row.get(i) instanceof Number number) json.value(number);
                else json.value(row.get(i).toString());
            }
            json.close('}');
        }
        json.close(']').close('}');
    }
}
