package org.tutti.e2e.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.document.Example;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Way;

/// The example that trains a model and then classifies images that clients send.
@Tag("ci")
class ModelServiceTest extends JobTest {
    @Test
    void theTrainedModelAnswersRequests() throws Exception {
        Way.need(Checkout.isPackaged(), "the adapter to libtorch lies in its target/lib after package only");
        Path state = Checkout.scratch("model").resolve("state");
        List<String> arguments = List.of(
                "serve",
                "-n",
                "2",
                "--with",
                "torch",
                "--jvm",
                Command.RANKS_FLAG,
                "--port",
                "0",
                "--state",
                state.toString(),
                "--allow-run-as-root",
                Example.named("DigitsService").file().toString(),
                "serve");
        Child service = Command.launcher(
                        List.of("--enable-native-access=ALL-UNNAMED", "-Dtutti.home=" + Checkout.ROOT), arguments)
                .start();
        service.awaitErr("tutti: serving digit at http://127.0.0.1:");
        try (HttpClient client = HttpClient.newHttpClient();
                BufferedReader digits = new BufferedReader(new InputStreamReader(
                        new GZIPInputStream(Files.newInputStream(Checkout.ROOT.resolve("examples/data/digits.csv.gz"))),
                        StandardCharsets.UTF_8))) {
            for (int i = 0; i < 10; i++) {
                String[] numbers = digits.readLine().split(",");
                String pixels = Arrays.toString(Arrays.copyOf(numbers, 64));
                HttpResponse<String> answer = ask(client, state, pixels);
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                assertThat(answer.body()).startsWith("{\"digit\":" + numbers[64] + ",\"probability\":0.");
            }
            HttpResponse<String> wrong = ask(client, state, "[1, 2]");
            assertThat(wrong.statusCode()).isEqualTo(500);
            assertThat(wrong.body()).contains("2 pixels; an image has 64");
        }
        Processes.signal("TERM", service.pid());
        service.await();
    }

    private static HttpResponse<String> ask(HttpClient client, Path state, String body) throws Exception {
        String address = Files.readString(state.resolve("address")).strip();
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/v1/functions/digit/jobs?wait=60"))
                .header(
                        "Authorization",
                        "Bearer " + Files.readString(state.resolve("run-token")).strip())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
