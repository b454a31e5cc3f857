import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { type ComparisonReport, type Figure, quire } from '../measure/comparison.ts';
import { formatNumber } from './format-number.ts';

/** A drawing, as the text of an `svg` element of this size. */
export interface Drawing {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

export const drawingWidth = 860;
const rowHeight = 17;
const levelGap = 12;
const axisHeight = 48;
const colours = { quire: '#0b7a5c', rival: '#8a8f98' };

/**
 * Draws a comparison as dots on a logarithmic scale: the median, with the range of the rounds'
 * medians, and a tick at the 99th percentile.
 */
export function drawComparison({ figures, unit, factor }: ComparisonReport): Drawing {
  const levels = [...new Set(figures.map(({ level }) => level))];
  const names = [...new Set(figures.map(({ name }) => name))];
  const height = levels.length * (names.length * rowHeight + levelGap) + axisHeight;
  const { document } = parseHTML('<html><body></body></html>');
  const place = { y: 'name', fy: 'level' };
  // For rates, the slow tail is the first percentile, which is not measured.
  const tailOf = ({ summary }: Figure): number | null => (unit === 'ms' ? summary.p99 : null);
  const colour = (figure: Figure): string =>
    figure.name === quire ? colours.quire : colours.rival;
  const plot = Plot.plot({
    document,
    width: drawingWidth,
    height,
    marginLeft: 160,
    marginRight: 150,
    marginTop: 24,
    x: {
      type: 'log',
      grid: true,
      label: unit,
      axis: 'top',
      ticks: 6,
      tickFormat: tickText,
      insetLeft: 8,
      insetRight: 48,
    },
    y: { domain: names, label: null, tickSize: 0 },
    fy: { domain: levels, label: levels.length > 1 ? factor : null, padding: 0.1 },
    marks: [
      Plot.ruleY(figures, {
        ...place,
        x1: (figure: Figure) => visible(figure.rounds.min),
        x2: (figure: Figure) => visible(figure.rounds.max),
        stroke: colour,
        strokeWidth: 5,
        strokeOpacity: 0.3,
      }),
      Plot.tickX(
        figures.filter((figure) => tailOf(figure) !== null),
        {
          ...place,
          x: (figure: Figure) => visible(tailOf(figure) ?? 0),
          stroke: colour,
          strokeWidth: 1.5,
        },
      ),
      Plot.dot(figures, {
        ...place,
        x: (figure: Figure) => visible(figure.summary.median),
        fill: colour,
        r: 4,
      }),
      Plot.text(figures, {
        ...place,
        x: (figure: Figure) => visible(Math.max(figure.rounds.max, tailOf(figure) ?? 0)),
        text: (figure: Figure) => formatNumber(figure.summary.median),
        dx: 8,
        textAnchor: 'start',
        fill: colour,
      }),
    ],
  });
  return { svg: plot.outerHTML, width: drawingWidth, height };
}

/** Formats `10`, not `10.0`: ticks are at round numbers. */
function tickText(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 2 });
}

/** Zero has no place on a logarithmic scale. */
function visible(value: number): number {
  return Math.max(value, 1e-3);
}
