import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { SoakSample } from './run-soak.ts';

const MiB = 1024 * 1024;
/** The measures, each of which has its own plot, whose axis starts at 0. */
const measures: Readonly<Record<string, (sample: SoakSample) => number>> = {
  'heap, MiB': ({ heapBytes }) => heapBytes / MiB,
  'external memory, MiB': ({ externalBytes }) => externalBytes / MiB,
  'resident, with workers, MiB': ({ residentBytes }) => residentBytes / MiB,
  'timers of the clock': ({ timers }) => timers,
  'handles of Node': ({ handles }) => handles,
  'open files': ({ files }) => files,
  'stored files': ({ storedFiles }) => storedFiles,
  'rows of the table': ({ tableRows }) => tableRows,
};

/** Draws the resource use of a server as it aged, as an SVG. */
export function drawSoak(samples: readonly SoakSample[]): string {
  const { document } = parseHTML('<html><body></body></html>');
  const plots = Object.entries(measures).map(([label, of], index) => {
    const plot = Plot.plot({
      document,
      width: 420,
      height: 150,
      marginLeft: 50,
      x: { label: 'hours' },
      y: { label, zero: true, grid: true },
      marks: [Plot.lineY(samples, { x: 'hours', y: of, stroke: '#0b7a5c' })],
    });
    plot.setAttribute('x', String((index % 2) * 430));
    plot.setAttribute('y', String(Math.floor(index / 2) * 160));
    return plot.outerHTML;
  });
  const height = Math.ceil(plots.length / 2) * 160;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="860" height="${height}">${plots.join('')}</svg>`;
}
