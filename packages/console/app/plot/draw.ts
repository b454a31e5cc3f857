import * as Plot from '@observablehq/plot';
import type { Cell } from '@quire/client';
import { barChart } from './bars.ts';
import { limits, type PlotSpec } from './plot-sql.ts';

type Row = readonly Cell[];

/**
 * The styles that Plot sets by a style element of its own, which the page's security policy
 * refuses; saved charts include them.
 */
const ownStyle =
  '.chart{display:block;height:auto;max-width:100%;font-family:system-ui,sans-serif;font-size:12px}.chart text{white-space:pre}';

/** Draws a chart of the rows of a plot's query. */
export function drawChart(
  rows: readonly Row[],
  { kind, x, y, measure }: PlotSpec,
  width: number,
): SVGSVGElement {
  const yLabel =
    kind === 'histogram' || measure === 'count' || y === undefined
      ? 'rows'
      : kind === 'dots'
        ? y.name
        : `${measure} of ${y.name}`;
  const {
    y: yScale,
    marks,
    namesWidth,
  } = kind === 'bars'
    ? barChart(rows)
    : { y: { label: yLabel, grid: true, nice: true }, marks: marksOf(rows, kind), namesWidth: 70 };
  const chart = Plot.plot({
    // Created in a detached document, because there the policy permits elements that are removed
    // right away.
    document: document.implementation.createHTMLDocument(),
    className: 'chart',
    width,
    height: 380,
    marginLeft: namesWidth,
    marginRight: 56,
    marginBottom: 44,
    style: { color: 'currentColor', background: 'none' },
    x: { label: kind === 'bars' ? yLabel : x.name, nice: kind !== 'line' },
    y: yScale,
    marks,
  });
  for (const style of chart.querySelectorAll('style')) style.remove();
  // Groups of marks have no role, and so may have no label; the chart as a whole has both.
  for (const group of chart.querySelectorAll('g[aria-label]')) {
    group.setAttribute('data-mark', group.getAttribute('aria-label') ?? '');
    group.removeAttribute('aria-label');
  }
  return document.adoptNode(chart) as SVGSVGElement;
}

function marksOf(rows: readonly Row[], kind: Exclude<PlotSpec['kind'], 'bars'>): Plot.Markish[] {
  const colour = 'var(--accent)';
  switch (kind) {
    case 'line': {
      const data = rows
        .slice(0, limits.points)
        .map(([x, y]) => ({ x: abscissa(x), y: y === null ? NaN : Number(y) }));
      return [Plot.lineY(data, { x: 'x', y: 'y', stroke: colour, strokeWidth: 1.75 })];
    }
    case 'histogram': {
      const data = rows.map(([x, y, w]) => ({
        x1: Number(x),
        x2: Number(x) + Number(w),
        y: Number(y),
      }));
      return [
        Plot.rectY(data, { x1: 'x1', x2: 'x2', y: 'y', fill: colour, insetRight: 1 }),
        Plot.ruleY([0]),
      ];
    }
    case 'dots': {
      const data = rows
        .filter(([x, y]) => x !== null && y !== null)
        .map(([x, y]) => ({ x: Number(x), y: Number(y) }));
      return [Plot.dot(data, { x: 'x', y: 'y', r: 2.5, fill: colour, fillOpacity: 0.55 })];
    }
  }
}

/** Texts that begin like a date are timestamps in UTC, as the server writes them. */
function abscissa(value: Cell | undefined): number | Date | string {
  if (typeof value !== 'string') return Number(value);
  if (!/^\d{4}-\d\d-\d\d/.test(value)) return value;
  return new Date(value.includes(':') ? `${value.replace(' ', 'T')}Z` : value);
}

/** Returns the chart as a standalone file, in its current colours. */
export function svgFile(chart: SVGSVGElement): Blob {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const { color, backgroundColor } = getComputedStyle(chart.parentElement ?? chart);
  const accent = colourOf(chart, '--accent');
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const text = new XMLSerializer().serializeToString(copy).replaceAll('var(--accent)', accent);
  const start = text.indexOf('>') + 1;
  const style = `<style>${ownStyle}svg{color:${color};background:${backgroundColor}}</style>`;
  return new Blob([text.slice(0, start), style, text.slice(start)], { type: 'image/svg+xml' });
}

/**
 * Returns the current value of a colour of the theme: the property itself names one for light and
 * one for dark.
 */
function colourOf(chart: SVGSVGElement, property: string): string {
  const probe = document.createElementNS('http://www.w3.org/2000/svg', 'g');
  probe.style.color = `var(${property})`;
  chart.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
