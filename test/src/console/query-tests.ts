import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { longSql } from './scroll-tests.ts';
import {
  adminToken,
  analystToken,
  cellText,
  type ConsoleStage,
  runQuery,
} from './console-stage.ts';

/**
 * Holds back the queries of a page until the returned function is called: their requests, not their
 * answers, because Chromium does not always report the end of an answer that a test provides.
 */
async function holdQueries(page: Page): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  await page.route(/\/query\/sql/, async (route) => {
    await released.promise;
    await route.continue();
  });
  return released.resolve;
}

/**
 * Waits for the effects of an answer. These are messages that the page sends to itself: after three
 * further ones they have happened. Animation frames would not work, since a page that is not
 * painted has none.
 */
async function untilEffects(page: Page): Promise<void> {
  const message =
    'new Promise((done) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = done; port2.postMessage(0); }).then(() => undefined)';
  for (let count = 0; count < 3; count += 1) await page.evaluate(message);
}

/** Signing in, running queries, and the actions on a result. */
export function testQueries(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(() => {
    stage = stageOf();
  });

  describe('signing in', () => {
    test('the quickstart says which tokens there are; a wrong one is refused in words, a right one opens the console', async () => {
      await using visit = await stage.visit({ token: null });
      const { page } = visit;
      await page.getByText('quickstart-analyst').waitFor();
      await page.getByLabel('Token').fill('nobody-has-this');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/Not signed in/);
      await page.getByLabel('Token').fill(analystToken);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation').waitFor();
      await expect.poll(() => page.locator('.who').innerText()).toMatch(/analyst[^]*query/);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Token').waitFor();
      const [inTab, inBrowser] = await page.evaluate(() => [
        Object.values(sessionStorage).join(' '),
        Object.values(localStorage).join(' '),
      ]);
      expect(inTab).toBe('');
      expect(inBrowser).not.toMatch(/quickstart-|nobody-has-this/);
    });

    test('the root of the controller leads to the console, and the docs are open to everybody, with calls to try', async () => {
      const root = await fetch(`${stage.url}/`, { redirect: 'manual' });
      expect([root.status, root.headers.get('location')]).toEqual([302, '/console/']);
      const statuses = await Promise.all(
        ['/docs', '/openapi.json', '/cluster/health'].map(
          async (path) => (await fetch(stage.url + path)).status,
        ),
      );
      expect(statuses).toEqual([200, 200, 401]);
      const docs = await stage.browser.newPage();
      const complaints: string[] = [];
      docs.on('console', (message) => complaints.push(message.text()));
      await docs.goto(`${stage.url}/docs#readCaller`);
      const call = docs.locator('#readCaller');
      await call.getByText('Try it').click();
      await call.getByRole('button', { name: 'Send GET' }).click();
      await expect.poll(() => call.locator('output').innerText()).toMatch(/^401/);
      await docs.getByLabel('Token').fill(analystToken);
      await call.getByRole('button', { name: 'Send GET' }).press('Enter');
      await expect.poll(() => call.locator('output').innerText()).toMatch(/^200/);
      expect(
        JSON.parse(await call.getByRole('region', { name: 'Answer' }).innerText()),
      ).toMatchObject({ name: 'analyst' });
      const preview = docs.locator('#previewTable');
      await preview.getByText('Try it').click();
      await preview
        .getByLabel('Body')
        .fill('{"sourceRows": [{"fieldToValueMap": {"name": "<img src=x onerror=alert(1)>"}}]}');
      await preview.getByRole('button', { name: 'Send POST' }).click();
      await expect
        .poll(() => preview.getByRole('region', { name: 'Answer' }).innerText())
        .toContain('<img src=x');
      // The refusal alone: the policy allows the page's own script and calls.
      expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
      await docs.close();
    });
  });

  describe('a query', () => {
    test('a query runs by the keyboard, and its grid scrolls through all rows, both ways, by Arrow pages', async () => {
      await using visit = await stage.visit();
      const { page, calls, complaints } = visit;
      const rowCount = 100_000;
      await runQuery(page, longSql(rowCount));
      expect(await cellText(page, 1, 2)).toBe('row 0');
      expect([await cellText(page, 1, 3), await cellText(page, 2, 3)]).toEqual(['null', '0.25']);
      const last = rowCount - 1;
      const middle = rowCount / 2;
      for (const row of [last, middle, 1, last - 5000]) {
        const jump = page.getByLabel('Go to row');
        await jump.fill(String(row + 1));
        await page.keyboard.press('Enter');
        expect(await cellText(page, row + 1, 2)).toBe(`row ${row}`);
      }
      const pageCalls = calls.filter((call) => call.includes('/results?'));
      // One row of JSON while the query runs, and one when it has ended: its columns.
      expect(
        pageCalls.filter((call) => !call.includes('format=arrow') && !call.includes('numRows=1')),
      ).toEqual([]);
      expect(pageCalls.length).toBeLessThan(20);
      expect(complaints).toEqual([]);
    });

    test('a query is cancelled by its button, and nothing of it stays', async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      const before = await stage.storedIds();
      await page.getByText('SQL of DuckDB').waitFor();
      await page.locator('.editor .cm-content').focus();
      await page.keyboard.insertText(
        'SELECT count(*) FROM range(100000) a(i), range(100000) b(j) WHERE (i * j) % 7 = 3',
      );
      await page.keyboard.press('ControlOrMeta+Enter');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('The query was cancelled').waitFor();
      await expect.poll(() => stage.storedIds()).toEqual(before);
    });

    test('a query shows its first rows and how far it is while it runs; cancelled, its rows are gone', async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      const before = await stage.storedIds();
      await page.locator('.editor .cm-content').focus();
      await page.keyboard.insertText(
        "SELECT 'pair ' || (i * 0) AS name FROM range(1000000) a(i), range(1000000) b(j) WHERE (i + j) % 101 = 0",
      );
      await page.keyboard.press('ControlOrMeta+Enter');
      await page.getByText(/The first [\d,]+ rows, while the query runs/).waitFor();
      await expect
        .poll(() => page.locator('.running').innerText())
        .toMatch(/Running · .* · [\d,]+ rows so far, .*B$/);
      expect(await cellText(page, 1, 1)).toBe('pair 0');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('The query was cancelled').waitFor();
      await expect.poll(() => stage.storedIds()).toEqual(before);
    });

    test('a query that scans a table shows the share of the rows that it has processed', async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      await page.locator('.editor .cm-content').focus();
      // Each row takes long: only the cancellation ends the query.
      await page.keyboard.insertText(
        'SELECT sum(list_sum(list_transform(range(200), x -> x * n))) FROM readings',
      );
      await page.keyboard.press('Escape');
      await page.keyboard.press('ControlOrMeta+Enter');
      await expect
        .poll(() => page.locator('.running').innerText())
        .toMatch(/Running · .* · +[1-9]\d? % of the rows processed$/);
      expect(
        await page.getByRole('progressbar', { name: 'Rows processed' }).getAttribute('value'),
      ).toMatch(/^[1-9]\d?$/);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('The query was cancelled').waitFor();
    });

    test('a query that ends when one has gone elsewhere leaves one there, and is found where it was asked', async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      const release = await holdQueries(page);
      await page.locator('.editor .cm-content').focus();
      await page.keyboard.insertText('SELECT 43 AS later');
      await page.keyboard.press('ControlOrMeta+Enter');
      await page.locator('.running').waitFor();
      await page.getByRole('link', { name: 'Results', exact: true }).click();
      await page.getByRole('heading', { name: 'Results', exact: true }).waitFor();
      release();
      await expect
        .poll(() =>
          page.evaluate(
            "performance.getEntriesByType('resource').some(({ name }) => name.includes('/query/sql'))",
          ),
        )
        .toBe(true);
      await untilEffects(page);
      await page.getByRole('heading', { name: 'Results', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Query', exact: true }).first().click();
      expect(await cellText(page, 1, 1)).toBe('43');
    });

    test('a result that is shown after one has gone elsewhere, but before that page is, does not lead back', async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      const release = await holdQueries(page);
      // The browser reports a new address in a later task, which is held back here. The console
      // listens again once it has another address.
      await page.locator('.editor .cm-content').waitFor();
      await page.evaluate(`{
        const add = addEventListener;
        window.addEventListener = (type, listener, options) => {
          const isHeld = ({ isTrusted }) =>
            type === 'hashchange' && isTrusted && location.hash === '#/results';
          add(type, (event) => isHeld(event) || listener(event), options);
        };
        location.hash = '#/query';
      }`);
      await page.locator('.editor .cm-content').focus();
      await page.keyboard.insertText('SELECT 44 AS in_between');
      await page.keyboard.press('ControlOrMeta+Enter');
      await page.locator('.running').waitFor();
      await page.evaluate("location.hash = '#/results'");
      release();
      expect(await cellText(page, 1, 1)).toBe('44');
      await untilEffects(page);
      expect(await page.evaluate('location.hash')).toBe('#/results');
      await page.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))");
      await page.getByRole('heading', { name: 'Results', exact: true }).waitFor();
    });

    test('a query that fails is marked where it is wrong', async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      await runQuery(page, 'SELECT symbol,\n  pryce\nFROM stocks');
      await expect
        .poll(() => page.getByRole('alert').innerText())
        .toMatch(/The query failed after[^]*no column "pryce"/);
      await expect
        .poll(() => page.locator('.editor .cm-lintRange-error').innerText())
        .toBe('pryce');
    });

    test('a query is completed with the tables, columns and functions that there are', async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      const options = page.locator('.editor .cm-tooltip-autocomplete li');
      await page.waitForResponse((response) => response.url().endsWith('/tables/stocks/schema'));
      await page.locator('.editor .cm-content').focus();
      await page.keyboard.type('SELECT approx_quan');
      await options.filter({ hasText: 'approx_quantile' }).first().waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('SELECT * FROM stocks WHERE sym');
      await options.filter({ hasText: 'symbol' }).first().waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('SELECT * FROM sto');
      await options.filter({ hasText: 'stocks' }).first().waitFor();
      expect(await options.count()).toBeGreaterThan(0);
    });

    test('a query stays in the history', async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      await runQuery(page, 'SELECT 41 AS before');
      await runQuery(page, 'SELECT 42 AS after');
      await page.getByText('History', { exact: true }).click();
      await page.getByRole('button', { name: 'SELECT 41 AS before' }).click();
      await expect
        .poll(() => page.locator('.editor .cm-content').innerText())
        .toBe('SELECT 41 AS before');
    });
  });

  describe('a result', () => {
    test('a result is copied as rows, downloaded with progress, renewed, and opened by its link at the same row', async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      await runQuery(page, longSql(3000));
      await page.getByLabel('Go to row').fill('2501');
      await page.keyboard.press('Enter');
      await page.getByText('Copy', { exact: true }).click();
      await page.getByRole('button', { name: 'Row 2,501 as JSON' }).click();
      await page.getByText('Copied 1 row as JSON.').waitFor();
      const clipboard = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
      expect(JSON.parse(await clipboard())).toEqual([
        { number: 2500, text: 'row 2500', maybe: 625 },
      ]);

      for (const [item, expected] of [
        ['Names of the columns', /^number\ttext\tmaybe$/],
        ['Column number', /^number\n0\n1\n2\n[^]*\n2999$/],
        ['Query as curl', /^curl 'http:[^]*\{"sql":"SELECT r AS number/],
        ['Query as TypeScript', /client\.query\(`SELECT r AS number/],
        ['Query as Python, pinotdb', /cursor\.execute\("SELECT r AS number/],
        ['Query as Python, ADBC', /adbc\.connect\("grpc:/],
      ] as const) {
        await page.getByText('Copy', { exact: true }).click();
        await page.getByRole('button', { name: item }).click();
        await expect.poll(clipboard).toMatch(expected);
      }

      await page.getByText('Download', { exact: true }).click();
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'CSV' }).click();
      const lines = (await readFile(await (await saved).path(), 'utf8')).trimEnd().split('\n');
      expect([lines.length, lines[0], lines.at(-1)]).toEqual([
        3001,
        'number,text,maybe',
        '2999,row 2999,749.75',
      ]);

      await page.getByLabel('Keep the result for').selectOption('1d');
      await page.getByText(/^Kept until/).waitFor();
      await expect
        .poll(() => page.locator('.expiry .badge').innerText())
        .toMatch(/h .* min left|24 h left/);

      await page.getByRole('button', { name: 'Copy link' }).click();
      await page.getByText(/The link is copied/).waitFor();
      const link = await clipboard();
      await using other = await stage.visit({
        token: adminToken,
        place: link.slice(link.indexOf('#') + 1),
      });
      expect(await cellText(other.page, 2501, 2)).toBe('row 2500');
      await using stranger = await stage.visit({
        token: analystToken,
        place: link.slice(link.indexOf('#') + 1),
      });
      await stranger.page.getByText('There is no such result').waitFor();
    });

    test('a result shows its columns as one likes: hidden, pinned, wider; long cells open', async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      const text = 'x'.repeat(500);
      await runQuery(page, `SELECT 1 AS one, '${text}' AS long, [1, 2] AS list, 3 AS three`);
      await page.getByText('Columns', { exact: true }).click();
      await page.getByRole('checkbox', { name: 'list' }).uncheck();
      await page.keyboard.press('Escape');
      await expect
        .poll(() => page.locator('thead th .grid-head-name').allInnerTexts())
        .toEqual(['one', 'long', 'three']);
      const head = page.locator('thead th').filter({ hasText: 'three' });
      await head.hover();
      await head.getByRole('button').click();
      await page.getByRole('menuitem', { name: 'Pin column' }).click();
      expect((await page.locator('thead th .grid-head-name').allInnerTexts())[0]).toMatch(/three/);
      // The column of the position is that of the grid, whose first one is the pinned one.
      await page.locator('tbody td').filter({ hasText: /^3$/ }).click();
      await page.getByText('Copy', { exact: true }).click();
      await page.getByRole('button', { name: 'Column three', exact: true }).click();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('three\n3');
      await page.locator('tbody td').filter({ hasText: 'xxx' }).dblclick();
      await expect.poll(() => page.getByRole('dialog').locator('pre').innerText()).toBe(text);
    });

    test('a result is asked further questions: its rows are read, and its columns completed', async () => {
      await using visit = await stage.visit();
      const { page, complaints } = visit;
      await runQuery(page, "SELECT symbol AS ticker, price FROM stocks WHERE symbol <> 'IBM'");
      const [, id] = /id=([0-9a-f-]{36})/.exec(page.url()) ?? [];
      await page.getByRole('button', { name: 'Query this result' }).click();
      const editor = page.locator('.editor .cm-content');
      await expect.poll(() => editor.innerText()).toBe(`SELECT *\nFROM result('${id}')`);
      // The editor has the keyboard focus.
      await page.keyboard.press('ControlOrMeta+End');
      await page.keyboard.type(' WHERE tick');
      await expect
        .poll(() => page.locator('.editor .cm-tooltip-autocomplete li').allInnerTexts())
        .toContainEqual(expect.stringContaining('ticker'));
      await runQuery(
        page,
        `SELECT ticker, count(*) FROM result('${id}') GROUP BY ticker ORDER BY ticker`,
      );
      expect([await cellText(page, 1, 1), await cellText(page, 1, 2)]).toEqual(['AAPL', '123']);
      expect(complaints).toEqual([]);
    });

    test('a result that was deleted meanwhile says so, and offers to run its query again', async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      await runQuery(page, longSql(100_000));
      await cellText(page, 1, 1);
      const id = new URL(page.url().replace('#/', '')).searchParams.get('id');
      await fetch(`${stage.url}/query/resultStore/${id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${adminToken}` },
      });
      await page.getByLabel('Go to row').fill('90000');
      await page.keyboard.press('Enter');
      await page.getByText('This result was deleted').waitFor();
      await page.getByRole('button', { name: 'Run the query again' }).click();
      expect(await cellText(page, 1, 2)).toBe('row 0');
    });
  });
}
