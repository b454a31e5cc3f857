/**
 * Takes the pictures of the console that the READMEs show, of the quickstart's own tables: `npm run
 * screenshots`. Another folder, a theme and a width may be given, for a look at every page: `npm
 * run screenshots -- /tmp/looks dark 390`.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startQuire } from '@quire/server';
import { chromium, type Page } from 'playwright-core';
import { ensureSite } from '../../../packages/console/scripts/build-site.ts';
import { chromium as chromiumTool } from '../testkit/toolchain.ts';

const root = join(import.meta.dirname, '../../..');
const [folder = join(root, 'packages/console/images'), theme, width = '1280'] =
  process.argv.slice(2);
const program = chromiumTool.find(process.env) ?? '/usr/bin/chromium';

const longestFlights = `SELECT date, delay, distance, origin, destination
FROM flights
WHERE delay > 60
ORDER BY distance DESC, date`;

await ensureSite((line) => console.log(line));
await mkdir(folder, { recursive: true });
const home = await mkdtemp(join(tmpdir(), 'quire-screenshots-'));
// Once the server no longer uses it.
await using _home = {
  [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
};
await using quire = await startQuire({
  file: join(root, 'config/quickstart.properties'),
  roles: ['server', 'broker', 'controller'],
  set: {
    'engine.broker.client.queryPort': '0',
    'engine.broker.flight.port': '0',
    'controller.port': '0',
    'engine.broker.pagination.file.data.dir': join(home, 'results'),
    'engine.broker.pagination.temp.dir': join(home, 'temp'),
    'engine.tables.data.dir': join(home, 'tables'),
    'engine.stream.file.dir': join(home, 'streams'),
    'engine.broker.pagination.file.enableStorageCleaner': 'true',
    'engine.broker.pagination.file.maxStoragePerBrokerMB': '120',
  },
});
const url = `${quire.addresses.controller?.url}/console/`;
// Closed before the server, which waits for its connections: also if a step fails, whose error is
// then reported.
await using browser = await chromium.launch({
  executablePath: program,
  args: ['--no-sandbox', '--disable-gpu'],
});
const complaints: string[] = [];

async function open(colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: Number(width), height: 800 },
    colorScheme,
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.addInitScript(() => sessionStorage.setItem('quire.token', 'quickstart-admin'));
  return page;
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle').catch(() => undefined); // polling pages are never idle
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  console.log(`${name}.png`);
}

async function runLongest(page: Page): Promise<void> {
  await page.goto(`${url}#/query?sql=${encodeURIComponent(longestFlights)}`);
  await page.locator('.editor .cm-content').filter({ hasText: 'FROM flights' }).waitFor();
  await page.getByRole('button', { name: 'Run' }).click();
  await page.locator('tbody td').first().waitFor({ timeout: 240_000 });
}

async function takePlot(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name: 'Plot' }).click();
  await page.locator('svg.chart').waitFor();
  await take(page, name);
}

async function takeTable(page: Page, name: string): Promise<void> {
  await page.goto(`${url}#/preview`);
  await page
    .getByLabel('Paste rows')
    .fill(
      'id,name,at,score\n1,Ann,2024-01-01 10:00:00,3.5\n2,"Bo, B.",2024-01-02 11:00:00,\n3,,2024-01-03 12:30:00,x',
    );
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await page.getByText('Rows after').waitFor();
  await take(page, name);
}

/** Stores results of several sizes and lifetimes, so that the storage page has content. */
async function storeSome(): Promise<void> {
  const headers = { authorization: 'Bearer quickstart-admin', 'content-type': 'application/json' };
  const call = (path: string, method: string, body: object): Promise<Response> =>
    fetch(new URL(path, url), { method, headers, body: JSON.stringify(body) });
  for (const [rowCount, expiration] of [
    [400_000, '20m'],
    [250_000, '6h'],
    [300_000, '3h'],
    [120_000, '2h'],
    [500_000, '1h'],
  ] as const) {
    const sql = `SELECT * FROM flights LIMIT ${rowCount}`;
    const answer = await call('/query/sql?doPaginate=true&numRows=1', 'POST', { sql });
    const { requestId } = (await answer.json()) as { readonly requestId: string };
    await call(`/query/resultStore/${requestId}`, 'PATCH', { expiration });
  }
}

if (theme === undefined) {
  const light = await open('light');
  await runLongest(light);
  await take(light, 'query');
  await takePlot(light, 'plot');
  await storeSome();
  const dark = await open('dark');
  await dark.goto(`${url}#/results`);
  await dark.getByText('Storage').waitFor();
  await dark.locator('tbody tr').first().waitFor();
  await take(dark, 'results');
} else {
  const page = await open(theme === 'dark' ? 'dark' : 'light');
  await runLongest(page);
  await take(page, `query-${theme}-${width}`);
  await takePlot(page, `plot-${theme}-${width}`);
  await takeTable(page, `preview-${theme}-${width}`);
  for (const [name, place] of [
    ['results', 'results'],
    ['tables', 'tables'],
    ['table', 'tables/departures'],
    ['file-table', 'tables/flights'],
    ['tasks', 'tasks'],
    ['task', 'tasks/Task_SegmentGenerationAndPushTask_sp500'],
    ['restream', 'restream'],
    ['cluster', 'cluster'],
    ['api', 'api'],
  ] as const) {
    await page.goto(`${url}#/${place}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.spinner').first().waitFor({ state: 'detached' });
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await take(page, `${name}-${theme}-${width}`);
  }
  await page.goto(`${url}#/tables/flights`);
  await page.getByRole('tab', { name: 'Sample' }).click();
  await page.locator('tbody tr').first().waitFor();
  await take(page, `sample-${theme}-${width}`);
  await page.goto(`${url}#/query`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('quickstart-analyst').waitFor();
  await take(page, `sign-in-${theme}-${width}`);
}
for (const complaint of complaints) console.error(complaint);
