import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { cellText, type ConsoleStage } from './console-stage.ts';

/** The text of the editor, once it is loaded. */
const editorText = (page: Page): Promise<string> => page.locator('.editor .cm-content').innerText();

/** The tables and columns beside the editor, and the first screen. */
export function testTableBrowser(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(() => {
    stage = stageOf();
  });

  test('tables and their columns are found, looked at and written into the query by a click', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    const tables = page.getByRole('complementary', { name: 'Tables and columns' });
    await tables.getByRole('button', { name: 'Columns of stocks' }).click();
    await tables.getByText('560 rows').waitFor();
    await expect
      .poll(() => tables.locator('.table-tree ul').first().innerText())
      .toMatch(/symbol\s+STRING\s+date\s+STRING\s+price\s+DOUBLE/);
    await tables.getByRole('button', { name: 'Sample' }).click();
    const sample = page.getByRole('dialog', { name: 'Rows of stocks' });
    await expect.poll(() => sample.locator('tbody tr').count()).toBe(10);
    expect(await sample.locator('tbody tr').first().innerText()).toMatch(/^MSFT/);
    await page.keyboard.press('Escape');
    await sample.waitFor({ state: 'detached' });

    const content = page.locator('.editor .cm-content');
    await content.focus();
    await page.keyboard.insertText('SELECT FROM');
    await page.keyboard.press('Escape');
    await tables.getByRole('button', { name: 'stocks', exact: true }).click();
    await expect.poll(() => editorText(page)).toBe('SELECT FROM stocks');
    await page.keyboard.press('ControlOrMeta+Home');
    for (let count = 0; count < 'SELECT '.length; count += 1) {
      await page.keyboard.press('ArrowRight');
    }
    await tables.getByLabel('Find a table or column').fill('pric');
    await expect
      .poll(() => tables.locator('.table-line').allInnerTexts())
      .toEqual([expect.stringContaining('stocks')]);
    await tables.getByRole('button', { name: /^price/ }).click();
    await expect.poll(() => editorText(page)).toBe('SELECT price FROM stocks');
    await page.keyboard.press('ControlOrMeta+Enter');
    expect(await cellText(page, 1, 1)).toBe('39.81');
  });

  test('the first screen has queries of the tables that there are, which run by a click', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await page.getByRole('heading', { name: 'Start with one of these' }).waitFor();
    await page.getByRole('button', { name: /of \w+ for each \w+/ }).click();
    await page.getByRole('tab', { name: 'Plot' }).waitFor();
    expect(await editorText(page)).toMatch(/^SELECT \w+, count\(\*\) AS row_count, avg\(/);
    expect(Number(await cellText(page, 1, 2))).toBeGreaterThan(0);
  });

  test('the tables collapse, on a phone from the start, and stay as they were left', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    const tables = page.getByRole('complementary', { name: 'Tables and columns' });
    await tables.waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.reload();
    const button = page.getByRole('button', { name: 'Tables', exact: true });
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('false');
    expect(await tables.count()).toBe(0);
    await button.click();
    await tables.getByRole('button', { name: 'Columns of cars' }).waitFor();
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
    await page.reload();
    await tables.waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
  });
}
