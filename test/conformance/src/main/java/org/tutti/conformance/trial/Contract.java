package org.tutti.conformance.trial;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// A static method with one parameter, a [Trial], that every rank of a job runs: a fact that holds on every
/// engine.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Contract {
    /// With fewer ranks there is nothing to see.
    int minRanks() default 1;

    /// With more ranks it would take too long, or make no sense.
    int maxRanks() default Integer.MAX_VALUE;

    /// The one engine that promises it; empty for all.
    String engine() default "";

    /// Only with `-Pfull`, because it takes gigabytes, and ranks that are processes.
    boolean large() default false;

    /// Takes long where ranks share cores: by default ranks in threads do it, and one that is a process.
    boolean slow() default false;
}
