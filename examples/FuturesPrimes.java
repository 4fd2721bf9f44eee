/*
 * Tests large numbers for primality: the first example of java.util.concurrent and of Python's futures, on ranks.
 *
 * The counterpart of mpi4py's demo run_primes.py.
 *
 *     ./tutti run -n 3 --pool examples/FuturesPrimes.java
 *
 *     117450548693743 is prime: true
 *     993960000099397 is prime: true
 *     112272535095293 is prime: true
 *     115280095190773 is prime: true
 *     115797848077099 is prime: true
 *     1099726899285419 is prime: false
 */

import org.tutti.futures.*;

static final List<Long> NUMBERS = List.of(
        117450548693743L, 993960000099397L, 112272535095293L, 115280095190773L, 115797848077099L, 1099726899285419L);

record Answer(long number, boolean isPrime) {}

static Answer answer(long n) {
    for (long d = 3; d * d <= n; d += 2) if (n % d == 0) return new Answer(n, false);
    return new Answer(n, n % 2 != 0);
}

void main() {
    RankPool.run(pool -> {
        for (Answer a : pool.map(n -> answer(n), NUMBERS)) IO.println(a.number() + " is prime: " + a.isPrime());
    });
}
