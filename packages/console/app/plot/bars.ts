import * as Plot from '@observablehq/plot';
import type { Row } from '@quire/client';
import { encodeJson } from '../query/cell-text.ts';
import { limits } from './plot-sql.ts';

/** A bar of a chart: its full name, and its position, which is unique. */
interface Bar {
  readonly index: number;
  readonly name: string;
  readonly value: number;
}

/** Bars with their names beside them, as parts of the options of a plot. */
export interface BarChart {
  readonly y: Plot.ScaleOptions;
  readonly marks: Plot.Markish[];
  /** The width of the names, in pixels, for letters of about seven. */
  readonly namesWidth: number;
}

/**
 * Returns the bars of the rows of a plot's query. Each row has a bar of its own, also if its short
 * name is that of another one; a title has the full name.
 */
export function barChart(rows: readonly Row[]): BarChart {
  const bars = rows.slice(0, limits.bars).map(([name, value], index): Bar => {
    const text = typeof name === 'string' ? name : encodeJson(name ?? null);
    return { index, name: text, value: Number(value) };
  });
  const shortNames = bars.map(({ name }) => short(name));
  return {
    y: { label: null, type: 'band', tickFormat: (index: number) => shortNames[index] ?? '' },
    marks: [
      Plot.barX(bars, { x: 'value', y: 'index', title: 'name', fill: 'var(--accent)' }),
      Plot.text(bars, {
        x: 'value',
        y: 'index',
        text: ({ value }: Bar) => value.toLocaleString('en', { maximumFractionDigits: 2 }),
        dx: 4,
        textAnchor: 'start',
        fill: 'currentColor',
      }),
      Plot.ruleX([0]),
    ],
    namesWidth: 24 + 7 * Math.max(2, ...shortNames.map(({ length }) => length)),
  };
}

function short(text: string): string {
  return text.length > 22 ? `${text.slice(0, 21)}…` : text;
}
