import type { PartReport } from '../measure/part.ts';
import type { BenchReport } from './bench-report.ts';
import { comparisonRows } from './comparison-rows.ts';
import { goalRows } from './goals.ts';
import { textTable } from './text-table.ts';

/** A part for a terminal. */
export function renderPart({ title, comparisons, notes, elapsedMs }: PartReport): string {
  return [
    `\n━━ ${title} (${Math.round(elapsedMs / 1000)} s)`,
    ...comparisons.map(
      (comparison) => `\n${comparison.title}\n${textTable(comparisonRows(comparison))}`,
    ),
    ...notes.map((note) => `\nNote: ${note}`),
    '',
  ].join('\n');
}

/** The budgets for a terminal. */
export function renderGoals(report: BenchReport): string {
  const warning = report.isQuick ? ' (a smoke run: the figures mean nothing)' : '';
  return `\n━━ Goals${warning}\n\n${textTable(goalRows(report))}\n`;
}
