/// What there is of devices on a machine, asked for by `tutti doctor gpu` and told by a file, a line for
/// each fact; the doctor reads it in a process that loads nothing of this.
///
///     tutti doctor gpu ──process for a kind──▶ DeviceSurvey ──▶ backends and libraries, by the spi
///                      ──job of ranks────────▶ RankSurvey ──▶ Device.forRank
///                      ◀──────file: SurveyFile──┘
///
/// Rules: nothing is judged here, and nothing printed. Nobody in this module uses it.
@NullMarked
package org.tutti.device.survey;

import org.jspecify.annotations.NullMarked;
