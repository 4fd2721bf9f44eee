package prices;

import java.util.random.RandomGenerator;
import org.tutti.futures.CurrentTask;

/// The tasks, which run in the workers, without Spring.
final class Pricing {
    private Pricing() {}

    /// A right to buy a share in one year.
    ///
    /// @param spot the share's price now
    /// @param strike the agreed price
    /// @param volatility of the share's price in one year
    /// @param paths the number of simulated prices
    record Option(double spot, double strike, double volatility, int paths) {}

    /// Returns the mean gain over simulated prices, without interest.
    static double call(Option option) {
        RandomGenerator random = CurrentTask.random();
        double sum = 0, v = option.volatility();
        for (int i = 0; i < option.paths(); i++) {
            double price = option.spot() * Math.exp(v * random.nextGaussian() - v * v / 2);
            sum += Math.max(0, price - option.strike());
        }
        return sum / option.paths();
    }
}
