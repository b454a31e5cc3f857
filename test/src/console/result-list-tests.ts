import { beforeAll, expect, test } from 'vitest';
import {
  adminToken,
  analystToken,
  cellText,
  type ConsoleStage,
  runQuery,
} from './console-stage.ts';

/** The list of results: what it shows, renewals, deletions, and what a sweep would delete. */
export function testResultList(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(() => {
    stage = stageOf();
  });

  test('results are listed with their owner, size and expiry, renewed, and deleted after a question', async () => {
    await using visit = await stage.visit({ place: '/results' });
    const { page } = visit;
    const id = await stage.store('SELECT * FROM stocks');
    await page.reload();
    const row = page
      .locator('tbody tr')
      .filter({ has: page.locator('.result-id', { hasText: id }) });
    await expect.poll(() => row.innerText()).toMatch(/admin[^]*560[^]*KiB[^]*in (?:\d\d min|1 h)/);
    // The buttons at the end of a line are within the card, also beside the scroll bar of a long
    // page.
    const box = "[...document.querySelectorAll('.scroll-x')].at(-1)";
    const hiddenWidth = await page.evaluate<number>(`${box}.scrollWidth - ${box}.clientWidth`);
    expect(hiddenWidth).toBe(0);
    await row.getByRole('button', { name: 'Keep for 1 d' }).click();
    await row.getByText(/in (?:23|24) h/).waitFor();
    await row.getByRole('link', { name: 'Query' }).click();
    await expect
      .poll(() => page.locator('.editor .cm-content').innerText())
      .toBe(`SELECT *\nFROM result('${id}')`);
    await page.getByRole('button', { name: 'Run' }).click();
    expect(await cellText(page, 1, 1)).toBe('MSFT');
    await page.goto(`${stage.url}/console/#/results`);
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
  });

  test('results are found by their queries, owners and ages; those of an analyst are their own, also of programs, with the use of the share', async () => {
    await stage.store('SELECT 1 AS of_somebody_else');
    const headers = {
      authorization: `Bearer ${analystToken}`,
      'content-type': 'application/json',
    };
    await fetch(`${stage.url}/query/sql?doPaginate=true`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ sql: 'SELECT 7 AS of_a_program' }),
    });
    await using visit = await stage.visit({ token: analystToken });
    const { page } = visit;
    await runQuery(page, 'SELECT 5 AS mine');
    await runQuery(page, 'SELECT symbol FROM stocks');
    await cellText(page, 1, 1);
    await page.getByRole('link', { name: 'Results', exact: true }).click();
    const rows = page.locator('tbody tr');
    await expect
      .poll(async () => (await rows.allInnerTexts()).slice(0, 3))
      .toEqual([
        expect.stringMatching(/SELECT symbol FROM stocks\s+560/),
        expect.stringMatching(/SELECT 5 AS mine\s+1\s/),
        expect.stringMatching(/SELECT 7 AS of_a_program\s+1\s/),
      ]);
    expect(await rows.filter({ hasText: 'of_somebody_else' }).count()).toBe(0);
    const storage = page.locator('section.card').filter({ hasText: 'Your storage' });
    const usage = await fetch(`${stage.url}/query/usage`, { headers });
    const { resultCount } = (await usage.json()) as { readonly resultCount: number };
    await expect
      .poll(() => storage.innerText())
      .toMatch(new RegExp(`KiB\\s+in ${resultCount} results[^]*your share of the quota`));
    const search = page.getByLabel('Filter by query, id or broker');
    await search.fill('MINE');
    await expect.poll(() => rows.count()).toBe(1);
    await search.fill('');
    await page.getByRole('combobox', { name: 'Age' }).selectOption('older than a day');
    await page.getByText('No result fits the filters').waitFor();

    // An admin finds them by their queries as well, which the list of all results does not have.
    await using admin = await stage.visit({ place: '/results' });
    const all = admin.page.locator('section.card').last().locator('tbody tr');
    await admin.page.getByRole('combobox', { name: 'Owner' }).selectOption('analyst');
    await admin.page.getByLabel('Filter by query, id or broker').fill('of_a_program');
    await expect.poll(() => all.count()).toBe(1);
    await all.first().scrollIntoViewIfNeeded();
    await expect.poll(() => all.first().innerText()).toMatch(/SELECT 7 AS of_a_program\s+analyst/);
  });

  test('results appear below the usage of the storage, never before it, and without it if it fails', async () => {
    await stage.store('SELECT 1 AS below_the_usage');
    for (const [token, usageCall, listCall] of [
      [adminToken, '**/cluster/health', '**/cluster/results'],
      [analystToken, '**/query/usage', '**/query/resultStore?own=true'],
    ] as const) {
      await using visit = await stage.visit({ token, place: '/tables' });
      const { page } = visit;
      await page.getByRole('heading', { level: 1, name: 'Tables' }).waitFor();
      // Only this tab's call waits, in the browser.
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.route(usageCall, async (route) => {
        await released;
        await route.continue();
      });
      const listed = page.waitForResponse(listCall);
      await page.getByRole('link', { name: 'Results', exact: true }).click();
      await (await listed).finished();
      const search = page.getByLabel('Filter by query, id or broker');
      await page.getByText('Your storage').or(page.getByText('Loading the usage')).waitFor();
      expect(await search.count()).toBe(0);
      release();
      await search.waitFor();
      expect(await page.locator('.figure-one').count()).toBeGreaterThan(0);

      await page.route(usageCall, (route) => route.abort());
      await page.reload();
      await page.getByText('The server cannot be reached').waitFor();
      await search.waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    }
  });

  test('results are summed up by principal', async () => {
    await using visit = await stage.visit({ place: '/results' });
    await stage.store('SELECT * FROM stocks');
    const row = visit.page.locator('.usage tbody tr').filter({ hasText: 'admin' });
    await expect.poll(() => row.innerText()).toMatch(/^admin\s+\d+\s+[\d.]+ [KM]iB\s+no limit$/);
  });

  test('results that the next sweep would take are named with the reason, and stay', async () => {
    await using visit = await stage.visit({ place: '/results' });
    const { page } = visit;
    await page.getByRole('button', { name: 'What would it delete?' }).click();
    await page.getByText('a sweep would delete nothing now').waitFor();
    expect(await stage.call('/cluster/sweep')).toMatchObject({
      brokers: [{ error: null, removalCount: 0, removals: [] }],
    });
  });
}
