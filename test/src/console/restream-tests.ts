import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ConsoleStage } from './console-stage.ts';

const table = 'events_REALTIME';

/** A job of the table in a status, as the server describes jobs. */
function jobOf(status: string): object {
  return {
    jobId: 'job-1',
    status,
    restreamConfig: {
      tableNameWithType: table,
      destTableNameWithType: 'events_kept_REALTIME',
      debugPause: false,
    },
    stages: [{ stage: 'TABLE_STREAM', startTimeMs: 1, endTimeMs: null, outcome: null }],
    tableStreamProgress: { lastProbedLag: 0 },
    forceCommitProgress: { consumingSegmentsCommitted: 0, totalConsumingSegments: 0 },
    timeElapsedSinceStartInSeconds: 5,
    next: 'events_kept_REALTIME is kept and paused.',
    error: null,
    lastProblem: null,
    comparison: null,
  };
}

/** The restreams of the table `events_REALTIME`, which exists. */
export function testRestreams(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(() => {
    stage = stageOf();
  });

  test('a restream is started with a form and followed to its end', async () => {
    await using visit = await stage.visit({ place: `/restream?table=${table}` });
    const { page } = visit;
    expect(await page.getByLabel('Table to rebuild').inputValue()).toBe(table);
    await expect
      .poll(() => page.getByRole('textbox', { name: 'New table' }).inputValue())
      .toBe('events_rebuilt_REALTIME');
    await page.getByLabel('Minutes for the rebalance').fill('15');
    await page.getByRole('textbox', { name: 'New table' }).fill('events_again_REALTIME');
    await page.getByRole('button', { name: 'Start' }).click();
    // The page shows the jobs of other tests as well.
    const job = page.locator('section.card').filter({ hasText: '→ events_again_REALTIME' });
    await job.getByText('done', { exact: true }).first().waitFor();
    expect(await stage.call(`/tables/${table}/restream`)).toMatchObject({
      restreamConfig: { maxRebalanceTimeMin: 15, maxTableStreamLag: 5000 },
    });
    await job.getByText(/50 rows in the old table, 50 in the new one/).waitFor();
    await job.getByRole('link', { name: 'Open the new table' }).waitFor();
    await job.getByRole('button', { name: 'Delete the old table' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('textbox', { name: 'New table' }).fill('events_again_REALTIME');
    await page.getByRole('button', { name: 'Start' }).click();
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toMatch(/It was not started[^]*events_again_REALTIME/);
  });

  test('a restream that waits is resumed, and one that is cancelled is asked about first', async () => {
    await using visit = await stage.visit({ place: `/restream?table=${table}` });
    const { page } = visit;
    const start = async (name: string): Promise<Locator> => {
      await page.getByRole('textbox', { name: 'New table' }).fill(name);
      await page.getByLabel('Wait before consuming, until resumed').check();
      await page.getByRole('button', { name: 'Start' }).click();
      return page.locator('section.card').filter({ hasText: `→ ${name}` });
    };
    const resumed = await start('events_waiting_REALTIME');
    await resumed.getByRole('button', { name: 'Resume' }).click();
    await resumed.getByText(/50 rows in the old table/).waitFor();
    expect(await resumed.getByRole('button', { name: 'Resume' }).count()).toBe(0);
    const cancelled = await start('events_unwanted_REALTIME');
    await cancelled.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(await stage.call(`/tables/${table}/restream`)).toMatchObject({
      status: expect.not.stringMatching('CANCELLED'),
    });
    await cancelled.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click();
    await cancelled.getByText('cancelled', { exact: true }).first().waitFor();
    // It had not started to consume: nothing is stored, and no cleanup remains.
    await cancelled.getByText(/events_unwanted_REALTIME was removed completely/).waitFor();
    // It has no cause that could be fixed.
    expect(await cancelled.innerText()).not.toContain('Start again');
    expect(await cancelled.getByRole('button').count()).toBe(0);
  });

  test('a restream shows the lag that was observed, and what a lag of 0 means', async () => {
    await using visit = await stage.visit({ place: '/tables' });
    const { page } = visit;
    const lags = [400, 200, 0];
    await page.route('**/restreams', async (route) => {
      const lastProbedLag = lags.shift() ?? 0;
      await route.fulfill({
        json: { restreams: [{ ...jobOf('TABLE_STREAM'), tableStreamProgress: { lastProbedLag } }] },
      });
    });
    await page.goto(`${stage.url}/console/#/restream`);
    const job = page.locator('section.card').filter({ hasText: '→ events_kept_REALTIME' });
    await job.getByText('0 behind', { exact: true }).waitFor();
    expect(await job.locator('svg').count()).toBe(1);
    await job.getByText(/A lag of 0 means that the new table had all messages/).waitFor();
  });

  test('each next step of a restream that has stopped or ended is a button: the new table is kept or dropped, the old one deleted, after a question', async () => {
    await using visit = await stage.visit({ place: '/tables' });
    const { page } = visit;
    let status = 'CANCELLED';
    const sent: string[] = [];
    await page.route('**/restreams', (route) =>
      route.fulfill({ json: { restreams: [jobOf(status)] } }),
    );
    await page.route(
      (url) => url.pathname === '/tables' && url.search === '?type=REALTIME',
      (route) => route.fulfill({ json: { tables: [table, 'events_kept_REALTIME'] } }),
    );
    await page.route(
      (url) => /resumeConsumption$|\/restream$/.test(url.pathname),
      async (route) => {
        const url = new URL(route.request().url());
        sent.push(`${route.request().method()} ${url.pathname}${url.search}`);
        await route.fulfill({ json: jobOf('CANCELLED') });
      },
    );
    await page.route(
      (url) => url.pathname === `/tables/${table}` || url.pathname === '/tables/events',
      async (route) => {
        const url = new URL(route.request().url());
        sent.push(`${route.request().method()} ${url.pathname}${url.search}`);
        await route.fulfill({ json: { status: 'Deleted.' } });
      },
    );
    await page.goto(`${stage.url}/console/#/restream`);
    const job = page.locator('section.card').filter({ hasText: '→ events_kept_REALTIME' });
    const confirm = async (question: RegExp, action: string): Promise<void> => {
      const dialog = page.getByRole('dialog');
      await dialog.getByText(question).waitFor();
      await dialog.getByRole('button', { name: action }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await job.getByRole('button', { name: 'Keep the new table' }).click();
    await page.getByText('events_kept_REALTIME is kept, and consumes its stream.').waitFor();
    await job.getByRole('button', { name: 'Drop the new table' }).click();
    expect(sent).toHaveLength(1);
    await confirm(/^Drop events_kept_REALTIME\?/, 'Drop it');
    await expect.poll(() => sent.length).toBe(2);
    status = 'DONE';
    await job.getByRole('button', { name: 'Delete the old table' }).click();
    expect(sent).toHaveLength(2);
    await confirm(/^Delete events_REALTIME\?/, 'Delete it');
    await expect
      .poll(() => sent)
      .toEqual([
        'POST /tables/events_kept_REALTIME/resumeConsumption',
        `DELETE /tables/${table}/restream?dropDestination=true`,
        expect.stringMatching(/^DELETE \/tables\/events/),
      ]);
  });
}
