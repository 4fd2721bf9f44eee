package prices;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.tutti.futures.RankPool;

/// Answers requests with results of worker processes. If a worker dies during a request, a different worker computes
/// the request again.
@SpringBootApplication
public class Application {
    public static void main(String[] args) {
        SpringApplication.run(Application.class, args);
    }

    /// Spring closes the pool, and thereby ends the workers, when the application stops.
    @Bean(destroyMethod = "close")
    RankPool pool(@Value("${prices.workers:2}") int workers) {
        return RankPool.processes(workers, "-Xmx256m");
    }

    @RestController
    static class Prices {
        private final RankPool pool;

        Prices(RankPool pool) {
            this.pool = pool;
        }

        @GetMapping("/price/{strike}")
        CompletableFuture<Double> price(@PathVariable("strike") double strike) {
            return pool.idempotent().submit(Pricing::call, new Pricing.Option(100, strike, 0.2, 200_000));
        }

        @GetMapping("/workers")
        List<Long> workers() {
            return pool.callOnAll((comm, x) -> ProcessHandle.current().pid(), 0);
        }
    }
}
