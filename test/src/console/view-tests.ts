import { readFile } from 'node:fs/promises';
import { readXlsx } from 'hucre/xlsx';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { cellText, type ConsoleStage, runQuery } from './console-stage.ts';

const headOf = (page: Page, name: string): Locator =>
  page.locator('thead th').filter({ has: page.getByText(name, { exact: true }) });

/** Chooses an item of a column's menu. */
async function ask(page: Page, column: string, item: string): Promise<void> {
  await headOf(page, column).hover();
  await headOf(page, column)
    .getByRole('button', { name: /Column menu/ })
    .click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** A column of the rows that are seen first. */
async function firstCells(page: Page, column: number, count: number): Promise<readonly string[]> {
  const cells: string[] = [];
  for (let row = 1; row <= count; row += 1) cells.push(await cellText(page, row, column));
  return cells;
}

/**
 * Tests a stored result by its column headers: sorted, filtered, searched, and its columns
 * described.
 */
export function testViews(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(() => {
    stage = stageOf();
  });

  test('a head sorts all rows of a result by a query over it, which is shown; one key leads back', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(page, 'SELECT (r * 7919) % 5003 AS n, r % 3 AS n FROM range(5003) t(r)');
    await cellText(page, 1, 1);
    const [, id] = /id=([0-9a-f-]{36})/.exec(page.url()) ?? [];
    const before = await stage.storedIds();
    await page.locator('thead th').first().click();
    const bar = page.locator('.view-bar');
    await expect
      .poll(() => bar.locator('code').innerText())
      .toBe(`SELECT * FROM result('${id}') ORDER BY "n" NULLS LAST`);
    await bar.getByText('5,003 rows').waitFor();
    expect(await firstCells(page, 1, 3)).toEqual(['0', '1', '2']);
    await expect
      .poll(() => page.locator('thead th').first().getAttribute('aria-sort'))
      .toBe('ascending');
    await page.locator('thead th').first().click();
    await expect.poll(() => firstCells(page, 1, 2)).toEqual(['5002', '5001']);
    // In a query, the second column of that name has another name.
    await page.locator('thead th').nth(1).click();
    await expect.poll(() => bar.locator('code').innerText()).toContain('ORDER BY "n_1" NULLS LAST');
    await bar.getByText('5,003 rows').waitFor();
    expect(await firstCells(page, 2, 2)).toEqual(['0', '0']);
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    expect(await firstCells(page, 1, 2)).toEqual(['0', '2916']);
    // The results of the views are deleted.
    await expect.poll(() => stage.storedIds()).toEqual(before);
  });

  test('a view whose rows are deleted is computed again, and the whole result stays', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(page, 'SELECT r AS n FROM range(50000) t(r)');
    await cellText(page, 1, 1);
    const before = await stage.storedIds();
    const head = page.locator('thead th').first();
    await head.click();
    await head.click();
    await expect.poll(() => firstCells(page, 1, 2)).toEqual(['49999', '49998']);
    const [sorted] = (await stage.storedIds()).filter((id) => !before.includes(id));
    await stage.call(`/query/resultStore/${sorted}`, { method: 'DELETE' });
    await page.getByLabel('Go to row').fill('40001');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This result was deleted').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.view-bar').getByText('50,000 rows').waitFor();
    await page.getByLabel('Go to row').fill('3');
    await page.keyboard.press('Enter');
    await expect.poll(() => firstCells(page, 1, 2)).toEqual(['49999', '49998']);
    await page.getByRole('button', { name: 'All rows' }).click();
    await expect.poll(() => firstCells(page, 1, 2)).toEqual(['0', '1']);
  });

  test('a result is filtered by columns, downloaded as filtered, and its query taken to the editor', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(page, 'SELECT symbol, price FROM stocks');
    await cellText(page, 1, 1);
    await page.locator('.grid tbody [role=rowheader]').first().click();
    const copied = page.getByText(/^(?:1 selected row|Row 1) as JSON$/);
    await expect.poll(() => copied.textContent()).toBe('1 selected row as JSON');
    await ask(page, 'symbol', 'Filter…');
    await page.getByRole('dialog').getByLabel('Value').fill("o'clock");
    await page.keyboard.press('Enter');
    await page.getByText('No row fits the filters.').waitFor();
    // It has other rows, so none of them is selected.
    await expect.poll(() => copied.textContent()).toBe('Row 1 as JSON');
    await page.getByRole('button', { name: "Remove the filter symbol contains o'clock" }).click();
    await ask(page, 'symbol', 'Filter…');
    await page.getByRole('dialog').getByLabel('Value').fill('aap');
    await page.keyboard.press('Enter');
    const bar = page.locator('.view-bar');
    await bar.getByText('123 rows').waitFor();
    await ask(page, 'price', 'Filter…');
    const dialog = page.getByRole('dialog', { name: 'Filter by price' });
    await dialog.getByRole('combobox').selectOption('is greater than');
    await dialog.getByLabel('Value').fill('200');
    await page.keyboard.press('Enter');
    await bar.getByText('3 rows').waitFor();
    expect(await firstCells(page, 1, 2)).toEqual(['AAPL', 'AAPL']);
    await page.getByText('Download', { exact: true }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const lines = (await readFile(await (await saved).path(), 'utf8')).trimEnd().split('\n');
    expect([lines.length, lines[0]]).toEqual([4, 'symbol,price']);
    await bar.getByRole('button', { name: 'To the editor' }).click();
    await expect
      .poll(() => page.locator('.editor .cm-content').innerText())
      .toMatch(/^SELECT \*\nFROM result\('[^']+'\)\nWHERE contains[^]*\n {2}AND "price" > 200$/);
  });

  test('a column tells its nulls, distinct values, ends and distribution, and where a text is', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(
      page,
      "SELECT CASE WHEN r % 4 > 0 THEN r % 100 END AS part, 'name ' || r AS name FROM range(3000) t(r)",
    );
    await ask(page, 'part', 'Statistics…');
    const dialog = page.getByRole('dialog', { name: 'Statistics of part' });
    await expect
      .poll(() => dialog.locator('dl').innerText())
      .toMatch(
        /Rows\s+3,000\s+Nulls\s+750 \(25\.0 %\)\s+Distinct\s+75\s+Least\s+1\s+Greatest\s+99\s+Mean\s+50/,
      );
    await dialog.locator('svg.chart [data-mark="rect"]').waitFor();
    await page.keyboard.press('Escape');
    await ask(page, 'name', 'Find…');
    const search = page.getByRole('dialog', { name: 'Find in name' });
    await search.getByLabel('Text to find').fill('NAME 299');
    await page.keyboard.press('Enter');
    await search.getByText('Row 300; 11 cells with it.').waitFor();
    await search.getByRole('button', { name: 'Next' }).click();
    await search.getByText('Row 2,991; 11 cells with it.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Row 2,991 of 3,000').waitFor();
    expect(await cellText(page, 2991, 2)).toBe('name 2990');
  });

  test('a result is saved as a workbook of Excel, whose writer is loaded only then', async () => {
    await using visit = await stage.visit();
    const { page, calls } = visit;
    await runQuery(
      page,
      `SELECT n, '=' || n AS text, DATE '2024-02-29' + n::INT AS day FROM range(5000) AS _(n)`,
    );
    await cellText(page, 1, 1);
    const scripts = (): number => calls.filter((call) => call.endsWith('.js')).length;
    await page.getByText('Download', { exact: true }).click();
    const before = scripts();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Excel a workbook of one sheet' }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toMatch(/^[0-9a-f-]{36}\.xlsx$/);
    expect(scripts()).toBeGreaterThan(before);
    const { sheets } = await readXlsx(await readFile(await download.path()));
    const rows = sheets[0]?.rows ?? [];
    expect([rows.length, rows[0], rows[1], rows[5000]?.slice(0, 2)]).toEqual([
      5001,
      ['n', 'text', 'day'],
      [0, '=0', new Date(Date.UTC(2024, 1, 29))],
      [4999, '=4999'],
    ]);
    await page.getByText('Downloaded 5,000 rows.').waitFor();
  });

  test('where queries cannot read results, as on Apache Pinot, none of them is offered', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await page.route('**/about.json', async (route) => {
      const answer = await route.fetch();
      const about = (await answer.json()) as object;
      await route.fulfill({ json: { ...about, readsResults: false } });
    });
    await page.reload();
    await runQuery(page, 'SELECT symbol FROM stocks');
    await cellText(page, 1, 1);
    await page.getByRole('button', { name: 'Copy link' }).waitFor();
    expect(await page.getByRole('button', { name: 'Query this result' }).count()).toBe(0);
    expect(await page.locator('thead th[aria-sort]').count()).toBe(0);
    await page.getByRole('link', { name: 'Results', exact: true }).click();
    await page.getByRole('button', { name: 'Keep for 1 d' }).first().waitFor();
    expect(await page.locator('td').getByRole('link', { name: 'Query' }).count()).toBe(0);
  });
}
