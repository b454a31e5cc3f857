import type { CDPSession, Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { patience } from '../testkit/until.ts';
import { cellText, type ConsoleStage, runQuery } from './console-stage.ts';

/** Rows of the long result; `QUIRE_CONSOLE_ROWS=10000000` for the long trial. */
const longRowCount = Number(process.env['QUIRE_CONSOLE_ROWS'] ?? 1_000_000);
const isLongTrial = process.env['QUIRE_CONSOLE_ROWS'] !== undefined;

/**
 * Positions at which a reader stops. The first stretch fills the cache of pages: from then on, each
 * new page evicts another.
 */
const stops = isLongTrial ? { filling: 100, down: 150, up: 250 } : { filling: 26, down: 8, up: 6 };
const MB = 2 ** 20;

export const longSql = (rowCount: number): string =>
  `SELECT r AS number, 'row ' || r AS text, CASE WHEN r % 3 = 0 THEN NULL ELSE r / 4 END AS maybe FROM range(${rowCount}) t(r)`;

/**
 * Scrolls from one share of the way to another in steps, and waits at each for its rows. Text,
 * since it runs in the page.
 */
const scroll = (from: number, to: number, steps: number): string => `(async () => {
  const scroller = document.querySelector('.grid [role=group]');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const isThere = () => document.querySelector('tbody td') !== null && document.querySelector('tbody [aria-busy=true]') === null;
  const count = { frames: 0, longestMs: 0, slowestStopMs: 0 };
  let last = performance.now();
  const next = async () => {
    await frame();
    const now = performance.now();
    count.frames += 1;
    count.longestMs = Math.max(count.longestMs, now - last);
    last = now;
  };
  const height = scroller.scrollHeight - scroller.clientHeight;
  for (let step = 1; step <= ${steps}; step += 1) {
    const start = performance.now();
    scroller.scrollTop = height * (${from} + ((${to} - ${from}) * step) / ${steps});
    await next();
    await next();
    while (!isThere()) {
      if (performance.now() - start > ${patience.timeout}) throw new Error('The rows of step ' + step + ' do not come.');
      await next();
    }
    count.slowestStopMs = Math.max(count.slowestStopMs, performance.now() - start);
  }
  return count;
})()`;

interface Scrolled {
  readonly frames: number;
  readonly longestMs: number;
  readonly slowestStopMs: number;
}

/** Bytes that the page's scripts hold, their buffers among them. */
async function heldBytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage');
  return usedSize + backingStorageSize;
}

async function rowsShown(page: Page): Promise<string> {
  return page.locator('tbody [role=row]').last().innerText();
}

/** A grid over more rows than a browser could hold. */
export function testScrolling(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(() => {
    stage = stageOf();
  });

  test(
    'from end to end and back, every stop has its rows, for few requests and in flat memory',
    isLongTrial ? { timeout: 1_800_000 } : {},
    async () => {
      await using visit = await stage.visit();
      const { page, calls, complaints } = visit;
      await runQuery(page, longSql(longRowCount));
      expect(await cellText(page, 1, 2)).toBe('row 0');
      const session = await page.context().newCDPSession(page);
      const pageCalls = (): readonly string[] => calls.filter((call) => call.includes('/results?'));
      const requestsBefore = pageCalls().length;
      const filled = await page.evaluate<Scrolled>(scroll(0, 0.4, stops.filling));
      const filledBytes = await heldBytes(session);
      const down = await page.evaluate<Scrolled>(scroll(0.4, 1, stops.down));
      expect(await rowsShown(page)).toContain(`row ${longRowCount - 1}`);
      const downBytes = await heldBytes(session);
      const up = await page.evaluate<Scrolled>(scroll(1, 0, stops.up));
      expect(await cellText(page, 1, 2)).toBe('row 0');
      const endBytes = await heldBytes(session);
      const requestCount = pageCalls().length - requestsBefore;
      if (isLongTrial) {
        console.log(
          JSON.stringify({
            longRowCount,
            requestCount,
            filled,
            down,
            up,
            filledBytes,
            downBytes,
            endBytes,
          }),
        );
      }
      expect(
        pageCalls().filter((call) => !call.includes('format=arrow') && !call.includes('numRows=1')),
      ).toEqual([]);
      // At most two pages a stop: the visible rows may span two.
      const stopCount = stops.filling + stops.down + stops.up;
      expect(requestCount).toBeGreaterThan(stopCount / 2);
      expect(requestCount).toBeLessThanOrEqual(2 * stopCount + 2);
      expect(Math.max(downBytes, endBytes)).toBeLessThan(filledBytes * 1.25 + 4 * MB);
      expect(complaints).toEqual([]);
    },
  );
  test('a long result is walked by keys: each page of rows has the focus, draws as many rows, and requests none that are cached', async () => {
    await using visit = await stage.visit();
    const { page, calls, complaints } = visit;
    await runQuery(page, longSql(longRowCount));
    await page.getByLabel('Go to row').fill('1000');
    await page.keyboard.press('Enter');
    const focused = (row: number): Locator =>
      page.locator(`tbody [role=row][aria-rowindex="${row + 1}"] :focus`);
    await focused(1000).waitFor();
    await cellText(page, 1000, 2);
    // HighTable places rows of 33 pixels below a head of whole pixels. With other heights each step
    // moved the scroll bar back, among ten million rows to the first after a few steps.
    const heights = await page.evaluate<readonly number[]>(
      `['thead tr', 'tbody tr'].map((row) => document.querySelector('.grid ' + row).getBoundingClientRect().height)`,
    );
    expect(heights).toEqual([44, 33]);
    const callsBefore = calls.length;
    let rowsMax = 0;
    for (let row = 1020; row <= 1400; row += 20) {
      await page.keyboard.press('PageDown');
      await focused(row).waitFor();
      rowsMax = Math.max(rowsMax, await page.locator('tbody tr').count());
    }
    expect(rowsMax).toBeLessThan(60);
    // Browsers load the icon again when the address has changed.
    expect(calls.slice(callsBefore).filter((call) => !call.endsWith('.svg'))).toEqual([]);
    await page.keyboard.press('ControlOrMeta+End');
    await focused(longRowCount).waitFor();
    await page.keyboard.press('ControlOrMeta+Home');
    await focused(1).waitFor();
    expect(await cellText(page, 1, 2)).toBe('row 0');
    expect(complaints).toEqual([]);
  });

  test('rows that are loading are not animated: each frame would draw all of their cells', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    const rowCount = 100_000;
    await runQuery(page, longSql(rowCount));
    await cellText(page, 1, 2);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/results\?/, async (route) => {
      await released;
      await route.continue();
    });
    await page.getByLabel('Go to row').fill(String(rowCount / 2));
    await page.keyboard.press('Enter');
    await page.locator('tbody td[aria-busy=true]').first().waitFor();
    expect(
      await page.evaluate(
        `document.getAnimations().filter(({ effect }) => effect.target.closest('.grid') !== null).length`,
      ),
    ).toBe(0);
    release();
    expect(await cellText(page, rowCount / 2, 2)).toBe(`row ${rowCount / 2 - 1}`);
  });
}
