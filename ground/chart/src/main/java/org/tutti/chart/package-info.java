/// Pictures of measurements and of trainings, for whoever has numbers to show.
///
///     Chart, RatioChart ──▶ Drawing: SvgDrawing | PngDrawing
///          └──▶ Ruler: where a value is on an Axis
///
/// Drawn by a page of code of our own: SVG needs no font and no window system then, and no library has to
/// come along. Only PNG loads `java.desktop`, headless; a program of modules that wants PNG must require it.
@NullMarked
package org.tutti.chart;

import org.jspecify.annotations.NullMarked;
