import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { analystToken, cellText, type ConsoleStage, runQuery } from './console-stage.ts';

const editorText = (page: Page): Promise<string> => page.locator('.editor .cm-content').innerText();

/** Puts a text into the editor. */
async function write(page: Page, sql: string): Promise<void> {
  await page.locator('.editor .cm-content').focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(sql);
  await page.keyboard.press('Escape');
}

/** Named queries in tabs, run in turn, and the engine's work for them. */
export function testSheets(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(() => {
    stage = stageOf();
  });

  test('queries in tabs keep their texts and results, through a reload as well', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    const tabs = page.getByRole('tablist', { name: 'Queries' }).getByRole('tab');
    await runQuery(page, "SELECT 'first' AS tab");
    expect(await cellText(page, 1, 1)).toBe('first');
    await page.getByRole('button', { name: 'New query' }).click();
    await runQuery(page, "SELECT 'second' AS tab");
    expect(await cellText(page, 1, 1)).toBe('second');
    await tabs.getByText('Query 1').click();
    expect([await editorText(page), await cellText(page, 1, 1)]).toEqual([
      "SELECT 'first' AS tab",
      'first',
    ]);
    await page.reload();
    await expect.poll(() => tabs.allInnerTexts()).toEqual(['Query 1', 'Query 2']);
    expect([await editorText(page), await cellText(page, 1, 1)]).toEqual([
      "SELECT 'first' AS tab",
      'first',
    ]);
    await tabs.getByText('Query 2').click();
    expect([await editorText(page), await cellText(page, 1, 1)]).toEqual([
      "SELECT 'second' AS tab",
      'second',
    ]);
    // The back button of the browser stays within the tabs.
    await runQuery(page, "SELECT 'third' AS tab");
    expect(await cellText(page, 1, 1)).toBe('third');
    await page.goBack();
    await expect.poll(() => page.locator('tbody td').first().innerText()).toBe('second');
    expect(await tabs.count()).toBe(2);
    await page.getByRole('button', { name: 'Close Query' }).click();
    expect(await tabs.count()).toBe(1);
  });

  test('queries are saved by name, exported and imported, and linked to', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await write(page, 'SELECT 7 AS seven');
    await page.getByText('Saved', { exact: true }).click();
    await page.getByRole('button', { name: 'Save this query…' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('lucky number');
    await page.keyboard.press('Enter');
    const tabs = page.getByRole('tablist', { name: 'Queries' }).getByRole('tab');
    await expect.poll(() => tabs.allInnerTexts()).toEqual(['lucky number']);
    await page.getByText('Saved', { exact: true }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export all queries' }).click();
    const file = await (await saved).path();
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      saved: [{ name: 'lucky number', sql: 'SELECT 7 AS seven' }],
    });
    await page.getByText('Saved', { exact: true }).click();
    await page.getByRole('button', { name: 'Copy a link to this query' }).click();
    await page.getByText('The link to this query is copied.').waitFor();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');

    await using other = await stage.visit({
      token: analystToken,
      place: link.slice(link.indexOf('#') + 1),
    });
    await expect.poll(() => editorText(other.page)).toBe('SELECT 7 AS seven');
    await other.page.getByText('Saved', { exact: true }).click();
    await other.page.getByText('Queries that you give a name').waitFor();
    await other.page.getByLabel('Import queries').setInputFiles({
      name: 'queries.json',
      mimeType: 'application/json',
      buffer: await readFile(file),
    });
    await other.page.getByText('2 queries added.').waitFor();
    await other.page.getByRole('button', { name: 'lucky number', exact: true }).click();
    await expect.poll(() => editorText(other.page)).toBe('SELECT 7 AS seven');
  });

  test('statements run in turn, each with its result, and a selection runs alone', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await write(
      page,
      "SELECT 'a;b' AS one; -- no; end\nSELECT r AS two FROM range(20) t(r);\nSELECT nothing;\nSELECT 4",
    );
    await page.keyboard.press('ControlOrMeta+Enter');
    const parts = page.getByRole('tablist', { name: 'Statements' }).getByRole('tab');
    await expect
      .poll(() => parts.allInnerTexts())
      .toEqual(['1 1 row', '2 20 rows', '3 failed', '4 not run']);
    await page.getByRole('alert').filter({ hasText: 'The query failed' }).waitFor();
    await expect
      .poll(() => page.locator('.editor .cm-lintRange-error').innerText())
      .toBe('nothing');
    await parts.nth(0).click();
    expect(await cellText(page, 1, 1)).toBe('a;b');
    await parts.nth(1).click();
    expect(await cellText(page, 20, 1)).toBe('19');

    await page.locator('.editor .cm-content').focus();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.press('Shift+Home');
    await page.getByRole('button', { name: 'Run selection' }).click();
    expect(await cellText(page, 1, 1)).toBe('4');
    expect(await parts.count()).toBe(0);
    await page.getByText('History', { exact: true }).click();
    const past = page.locator('.past-query');
    // The rows of a query are shown before its end, and the open list follows it.
    await expect.poll(() => past.first().innerText()).toMatch(/^SELECT 4\s+1 row in .* · /);
    expect(await past.filter({ hasText: 'nothing' }).innerText()).toMatch(/failed after/);
  });

  test('a query is explained, and profiled as a tree with rows and times', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await write(page, 'SELECT symbol, count(*) FROM stocks GROUP BY symbol');
    await page.getByText('Explain', { exact: true }).click();
    await page.getByRole('button', { name: /^Plan/ }).click();
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByText(/HASH_GROUP_BY/).waitFor();
    expect(await plan.locator('meter').count()).toBe(0);
    await page.getByText('Explain', { exact: true }).click();
    await page.getByRole('button', { name: /^Profile/ }).click();
    await plan.locator('meter').first().waitFor();
    await expect
      .poll(() => plan.locator('li', { hasText: 'HASH_GROUP_BY' }).last().innerText())
      .toMatch(/ms · 5 rows[^]*560 rows/);
    expect(await editorText(page)).toBe('SELECT symbol, count(*) FROM stocks GROUP BY symbol');

    // The statistics of any other query, as far as the engine has them.
    await page.getByRole('button', { name: 'Run', exact: false }).first().click();
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await expect
      .poll(() => page.getByRole('region', { name: 'Statistics' }).innerText())
      .toMatch(/Time\s+[\d.]+ m?s\s+Rows of the result\s+5\s+Rows in the tables\s+560/);
  });
}
