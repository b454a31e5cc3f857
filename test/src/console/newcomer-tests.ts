import { beforeAll, expect, test } from 'vitest';
import { cellText, type ConsoleStage } from './console-stage.ts';

/** A file of a user who has just installed Quire, in the format of many spreadsheets. */
const csv = ['city;day;visitors']
  .concat(
    Array.from({ length: 90 }, (_none, index) => {
      const day = new Date(Date.UTC(2024, 0, 1 + Math.floor(index / 3))).toISOString().slice(0, 10);
      return `${['Oslo', 'Rome', 'Kyiv'][index % 3]};${day} 00:00:00;${100 + ((index * 37) % 50)}`;
    }),
  )
  .join('\n');

/** The first ten minutes: from the page that the README names to a plot of one's own file. */
export function testNewcomer(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(() => {
    stage = stageOf();
  });

  test('a newcomer signs in, runs an example, makes a table of a file, and plots a query of it', async () => {
    await using visit = await stage.visit({ token: null });
    const { page, complaints } = visit;
    await page.getByRole('button', { name: 'Use quickstart-admin' }).click();
    await page.getByRole('heading', { name: 'Start with one of these' }).waitFor();
    await page.getByRole('button', { name: /^All rows of cars/ }).click();
    expect(await cellText(page, 1, 1)).not.toBe('');

    await page.getByRole('link', { name: 'Tables', exact: true }).click();
    await page.getByRole('link', { name: 'Make a table' }).click();
    await page.getByLabel('Choose a file').setInputFiles({
      name: 'visitors.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(csv),
    });
    await page.getByLabel('Name of the table').fill('visitors');
    await page.getByText(/^90 rows of visitors\.csv/).waitFor();
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByText('0 errors').waitFor();
    await page.getByRole('button', { name: 'Create the table' }).click();
    await page.getByText('90 rows of visitors.csv loaded into visitors.').waitFor();
    await page.getByText(/^90 rows(?:$|, )/).waitFor();
    await page.getByRole('tab', { name: 'Sample' }).click();
    await page.getByRole('cell', { name: 'Oslo' }).first().waitFor();

    await page.getByRole('link', { name: 'Query', exact: true }).last().click();
    const editor = page.locator('.editor .cm-content');
    await expect.poll(() => editor.innerText()).toBe('SELECT *\nFROM visitors');
    await editor.focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(
      'SELECT city, sum(visitors) AS visitors FROM visitors GROUP BY city',
    );
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByRole('tab', { name: 'Plot' }).click();
    const chart = page.locator('svg.chart');
    await chart.waitFor();
    expect(await chart.locator('[data-mark="bar"] rect').count()).toBe(3);
    expect(await chart.innerHTML()).toContain('Kyiv');
    expect(complaints).toEqual([]);
    await stage.call('/tables/visitors', { method: 'DELETE' });
  });
}
