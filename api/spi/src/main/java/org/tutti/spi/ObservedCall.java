package org.tutti.spi;

/// A call of which observers are notified.
public sealed interface ObservedCall permits Activity, WaitAny, LocalWait, CommCreation, Access, FileAccess {}
