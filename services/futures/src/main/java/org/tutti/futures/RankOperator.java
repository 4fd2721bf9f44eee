package org.tutti.futures;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/// Combines two values on any rank, see [RankFunction]. Must be associative; it need not be commutative.
///
/// @param <T> type of the values
@FunctionalInterface
public interface RankOperator<T extends @Nullable Object> extends Serializable {
    T apply(T left, T right) throws Exception;
}
