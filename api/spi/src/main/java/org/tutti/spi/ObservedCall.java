package org.tutti.spi;

/// A call of an engine, as observers see it.
public sealed interface ObservedCall permits Activity, WaitAny, LocalWait, CommCreation, Access, FileAccess {}
