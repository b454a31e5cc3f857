import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { barChart } from '../app/plot/bars.ts';

const urls = ['apples', 'pears', 'plums'].map((fruit) => `https://example.com/shop/${fruit}`);

test('bars whose names begin alike, and null and the text null, are bars of their own', () => {
  const names = [...urls, 'null', null];
  const { y, marks } = barChart(names.map((name, index) => [name, 10 - index]));
  const { document } = parseHTML('<html><body></body></html>');
  const chart = Plot.plot({ document, y, marks }) as unknown as {
    querySelectorAll(selector: string): Iterable<{
      readonly textContent: string;
      getAttribute(name: string): string;
    }>;
  };
  const bars = [...chart.querySelectorAll('rect')];
  expect(new Set(bars.map((bar) => bar.getAttribute('y'))).size).toBe(names.length);
  expect(new Set(bars.map((bar) => bar.getAttribute('x'))).size).toBe(1);
  expect(bars.map(({ textContent }) => textContent)).toEqual([...urls, 'null', 'null']);
  const texts = [...chart.querySelectorAll('text')].map(({ textContent }) => textContent);
  expect(texts.slice(0, names.length)).toEqual([
    'https://example.com/s…',
    'https://example.com/s…',
    'https://example.com/s…',
    'null',
    'null',
  ]);
});
