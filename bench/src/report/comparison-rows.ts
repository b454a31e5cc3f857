import type { ComparisonReport } from '../measure/comparison.ts';
import { formatNumber, formatTimes } from './format-number.ts';

/** A table of texts, for a renderer. */
export interface TextRows {
  readonly heads: readonly string[];
  /** Columns before this one are words, the others are figures. */
  readonly firstFigure: number;
  readonly rows: readonly (readonly string[])[];
}

/** Formats a comparison as a table: one row for each contender at each level. */
export function comparisonRows({
  figures,
  unit,
  factor,
  comparesLevels,
}: ComparisonReport): TextRows {
  const hasRivals = figures.some(({ quireBetterBy }) => quireBetterBy !== null);
  const hasP99 = unit === 'ms';
  const rows = figures.map(
    ({ level, name, summary, rounds, quireBetterBy, ofFirstLevel }, index) => [
      level === figures[index - 1]?.level ? '' : level,
      name,
      formatNumber(summary.median),
      ...(hasP99 ? [summary.p99 === null ? '–' : formatNumber(summary.p99)] : []),
      `${formatNumber(rounds.min)} – ${formatNumber(rounds.max)}`,
      String(summary.count),
      ...(hasRivals ? [spreadText(quireBetterBy)] : []),
      ...(comparesLevels ? [ofFirstLevel === null ? '' : formatTimes(ofFirstLevel.median)] : []),
    ],
  );
  const heads = [
    factor,
    'contender',
    `median ${unit}`,
    ...(hasP99 ? ['p99'] : []),
    'rounds',
    'samples',
    ...(hasRivals ? ['Quire better by'] : []),
    ...(comparesLevels ? ['of first level'] : []),
  ];
  return { heads, firstFigure: 2, rows };
}

function spreadText(spread: ComparisonReport['figures'][number]['quireBetterBy']): string {
  if (spread === null) return '';
  return `${formatTimes(spread.median)} (${formatNumber(spread.min)} – ${formatNumber(spread.max)})`;
}
