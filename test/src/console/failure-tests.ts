import { beforeAll, expect, test } from 'vitest';
import { cellText, type ConsoleStage, runQuery } from './console-stage.ts';
import { longSql } from './scroll-tests.ts';

/** The behaviour in failures. */
export function testFailures(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(() => {
    stage = stageOf();
  });

  test('a server that is gone while one scrolls is said to be, and asked again when one wants', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(page, longSql(100_000));
    expect(await cellText(page, 1, 2)).toBe('row 0');
    await page.route('**/results?**', (route) => route.abort());
    await page.getByLabel('Go to row').fill('90000');
    await page.keyboard.press('Enter');
    await page.getByText('The server cannot be reached').waitFor();
    await page.unroute('**/results?**');
    await page.getByRole('button', { name: 'Try again' }).click();
    expect(await cellText(page, 90_000, 2)).toBe('row 89999');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('a token that does not hold any more leads back to where one signs in, in this tab alone', async () => {
    await using visit = await stage.visit();
    await using other = await stage.visit();
    const { page } = visit;
    await runQuery(page, longSql(100_000));
    expect(await cellText(page, 1, 2)).toBe('row 0');
    const body = JSON.stringify({
      code: 401,
      error: 'Not authenticated.',
      reason: 'UNAUTHENTICATED',
    });
    await page.route('**/results?**', (route) =>
      route.fulfill({ status: 401, contentType: 'application/json', body }),
    );
    await page.getByLabel('Go to row').fill('50000');
    await page.keyboard.press('Enter');
    await page.getByText('The server no longer accepts your token').waitFor();
    expect(await page.evaluate(`sessionStorage.getItem('quire.token')`)).toBeNull();
    await other.page.getByRole('link', { name: 'Tables' }).click();
    await other.page.getByRole('link', { name: 'stocks' }).waitFor();
    await expect.poll(() => other.page.locator('.who').innerText()).toMatch(/admin/);
  });
}
