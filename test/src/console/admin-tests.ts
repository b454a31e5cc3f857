import { FileProducer } from '@quire/streams';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { filesBelow } from '../testkit/files-below.ts';
import { analystToken, type ConsoleStage, migratorToken, runQuery } from './console-stage.ts';
import { testRestreams } from './restream-tests.ts';
import { testResultList } from './result-list-tests.ts';

const table = 'events_REALTIME';

const schema = {
  schemaName: 'events',
  dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};

const realtime = {
  tableName: 'events',
  tableType: 'REALTIME',
  segmentsConfig: { timeColumnName: 'ts' },
  ingestionConfig: {
    streamIngestionConfig: {
      streamConfigMaps: [
        {
          streamType: 'file',
          'stream.file.topic.name': 'events',
          'stream.file.consumer.prop.auto.offset.reset': 'smallest',
          'realtime.segment.flush.threshold.rows': '1000',
        },
      ],
    },
  },
};

/** The tasks of an operator: plots, results, tables, tasks, restream, the cluster. */
export function testAdministration(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = stageOf();
    await using producer = await FileProducer.open({
      directory: join(stage.home, 'streams'),
      topic: 'events',
    });
    const events = Array.from({ length: 50 }, (_none, id) =>
      JSON.stringify({ id, ts: 1_700_000_000_000 + id }),
    );
    await producer.append(events.map((event) => ({ key: null, value: Buffer.from(event) })));
    await stage.call('/tableConfigs', {
      method: 'POST',
      body: JSON.stringify({ tableName: 'events', schema, realtime }),
    });
    // The table of the tests of tasks.
    await stage.call('/tableConfigs', {
      method: 'POST',
      body: JSON.stringify({
        tableName: 'loaded',
        schema: { ...schema, schemaName: 'loaded' },
        offline: {
          tableName: 'loaded',
          tableType: 'OFFLINE',
          segmentsConfig: { timeColumnName: 'ts' },
        },
      }),
    });
  });

  test('a plot is an aggregate that the server computes, drawn within the policy, and saved as SVG', async () => {
    await using visit = await stage.visit();
    const { page, complaints } = visit;
    await runQuery(
      page,
      'SELECT symbol, price, CAST(date AS VARCHAR) AS day FROM stocks -- all of them',
    );
    await page.getByRole('tab', { name: 'Plot' }).click();
    const chart = page.locator('svg.chart');
    await chart.waitFor();
    expect(await chart.locator('[data-mark="bar"] rect').count()).toBe(5);
    const posted = page.waitForRequest((request) => request.url().includes('/query/sql'));
    await page.getByLabel('Kind').selectOption('histogram');
    expect((await posted).postDataJSON()).toMatchObject({
      sql: expect.stringMatching(/FROM \(SELECT \*\nFROM result\('[^']+'\)\n\) AS result/),
    });
    await page.locator('svg.chart [data-mark="rect"]').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as SVG' }).click();
    expect((await saved).suggestedFilename()).toBe('histogram.svg');
    expect(complaints).toEqual([]);
  });

  test('charts are drawn for a caller whose queries are in another language', async () => {
    await using visit = await stage.visit({ token: migratorToken });
    const { page, complaints } = visit;
    await runQuery(
      page,
      "SELECT price, toDateTime(0, 'yyyy') AS epoch, price * 2 AS twice FROM stocks LIMIT 500",
    );
    await page.getByRole('tab', { name: 'Plot' }).click();
    for (const [kind, mark] of [
      ['histogram', 'rect'],
      ['dots', 'dot'],
    ] as const) {
      await page.getByLabel('Kind').selectOption(kind);
      await page.locator(`svg.chart [data-mark="${mark}"]`).waitFor();
    }
    expect(complaints).toEqual([]);
  });

  describe('results', () => {
    testResultList(stageOf);
  });

  describe('tables', () => {
    test('a real-time table shows the lag of its partitions, is paused, resumed and committed', async () => {
      await using visit = await stage.visit({ place: '/tables/events' });
      const { page } = visit;
      await page.locator('tbody tr').filter({ hasText: 'consuming' }).first().waitFor();
      await page.getByRole('button', { name: 'Commit now' }).click();
      await page.getByText(/The commit has started: job/).waitFor();
      await page.getByRole('tab', { name: 'Segments' }).click();
      await page
        .getByText(/events__0__0__/)
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('paused', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('consuming', { exact: true }).first().waitFor();
      expect(await stage.call(`/tables/${table}/pauseStatus`)).toMatchObject({ pauseFlag: false });
    });

    test('tables are listed with their rows and sizes, those of files as well, and none is counted by a query', async () => {
      await using visit = await stage.visit({ place: '/tables' });
      const { page, calls } = visit;
      const row = (name: string): Locator =>
        page.locator('tbody tr').filter({ has: page.getByText(name, { exact: true }) });
      await expect.poll(() => row('stocks').innerText()).toMatch(/560 rows\s+1 file\s+[\d.]+ KiB/);
      await expect
        .poll(() => row('events').innerText())
        .toMatch(/50 rows\s+\d+\s+[\d.]+ (?:B|KiB)/);
      expect(calls.filter((call) => call.startsWith('/query'))).toEqual([]);
      // The sizes of tables over files come with their list, in one call for all of them.
      expect(calls.filter((call) => /^\/tables\/(?:stocks|cars)\/size/.test(call))).toEqual([]);
      await page.getByRole('link', { name: 'stocks', exact: true }).click();
      await page.getByText(/1 file, [\d.]+ KiB, that engine\.table\.stocks\.path names/).waitFor();
    });

    test('a table over files is never shown as one with segments that can be deleted', async () => {
      await using visit = await stage.visit({ place: '/tables' });
      const { page } = visit;
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.route('**/tableConfigs/stocks', async (route) => {
        await released;
        await route.continue();
      });
      const size = page.waitForResponse('**/tables/stocks/size');
      await page.getByRole('link', { name: 'stocks', exact: true }).click();
      await size;
      await page.getByText('560 rows').waitFor();
      expect(await page.locator('main').innerText()).not.toMatch(/0 segments|Delete/);
      release();
      await page.getByText(/1 file, [\d.]+ KiB/).waitFor();
      expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Columns', 'Sample', 'Config']);
    });

    test('a damaged segment is marked, with what is wrong and what to do', async () => {
      const damaged = { ...schema, schemaName: 'damaged' };
      const offline = {
        tableName: 'damaged',
        tableType: 'OFFLINE',
        segmentsConfig: { timeColumnName: 'ts' },
      };
      await stage.call('/tableConfigs', {
        method: 'POST',
        body: JSON.stringify({ tableName: 'damaged', schema: damaged, offline }),
      });
      const batchConfig = encodeURIComponent('{"inputFormat":"json"}');
      await stage.call(
        `/ingestFromFile?tableNameWithType=damaged_OFFLINE&batchConfigMapStr=${batchConfig}`,
        {
          method: 'POST',
          body: '{"id":1,"ts":1}',
        },
      );
      const files = await filesBelow(join(stage.home, 'tables/data'));
      const file = files.find((path) => /damaged_OFFLINE.*\.parquet$/.test(path)) ?? '';
      await truncate(file, 9);
      await using visit = await stage.visit({ place: '/tables/damaged' });
      const { page } = visit;
      await page.getByRole('tab', { name: 'Segments' }).click();
      const row = page.locator('tbody tr').filter({ hasText: 'damaged_OFFLINE_' });
      await expect
        .poll(() => row.innerText())
        .toMatch(/Damaged\.\s+The file of this segment[^]* has 9 bytes, but \d+ were written/);
    });

    test('a table is previewed from pasted rows, mended where a finding says, and made', async () => {
      await using visit = await stage.visit({ place: '/preview' });
      const { page } = visit;
      await page.getByLabel('Paste rows').fill('id,name\n1,Ann\n2,"Bo, B."\n');
      await page.getByLabel('Name of the table').fill('people');
      await page.getByRole('button', { name: 'Preview', exact: true }).click();
      const documents = page.getByRole('textbox', { name: 'Schema' });
      await documents.waitFor();
      const proposed = await documents.inputValue();
      await documents.fill(proposed.replace('"STRING"', '"STRANGE"'));
      await page.getByRole('button', { name: 'Preview again' }).click();
      await page.locator('.findings .badge.bad').first().waitFor();
      await expect
        .poll(() => page.locator('.findings').first().innerText())
        .toMatch(/line \d+[^]*STRANGE/);
      expect(await page.getByRole('button', { name: 'Create the table' }).isDisabled()).toBe(true);
      await documents.fill(proposed);
      await page.getByRole('button', { name: 'Preview again' }).click();
      await page.locator('.findings .badge.bad').first().waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Create the table' }).click();
      await page.getByRole('heading', { name: 'Tables / people' }).waitFor();
      await page.getByText('2 rows of rows.csv loaded into people.').waitFor();
      expect(await stage.call('/tables/people/schema')).toMatchObject({ schemaName: 'people' });

      await page.getByRole('tab', { name: 'Segments' }).click();
      await page.getByLabel('Choose a file').setInputFiles({
        name: 'more.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('id;name\n3;"Cleo; the third"\n'),
      });
      await expect.poll(() => page.getByLabel('Separated by').inputValue()).toBe(';');
      await page.getByLabel('Separated by').selectOption('commas');
      await page.getByRole('button', { name: 'Load', exact: true }).click();
      await expect.poll(() => page.getByRole('alert').innerText()).toContain("a row has 'id;name'");
      await page.getByLabel('Separated by').selectOption('semicolons');
      await page.getByRole('button', { name: 'Load', exact: true }).click();
      await page.getByText('1 row of more.csv loaded into people.').waitFor();
      await page.getByRole('heading', { name: '2 segments' }).waitFor();
    });

    test('a Parquet file is sampled by the server, unread by the page, made a table of, and a load of it is cancelled', async () => {
      await using visit = await stage.visit({ place: '/preview' });
      const { page, calls } = visit;
      const file = {
        name: 'rides.parquet',
        mimeType: 'application/octet-stream',
        buffer: Buffer.from(
          parquetWriteBuffer({
            columnData: [
              { name: 'id', data: [1n, 9_007_199_254_740_993n], type: 'INT64' },
              { name: 'city', data: ['Rome', 'Oslo'], type: 'STRING' },
            ],
          }),
        ),
      };
      // The page must not read text that it only passes on.
      await page.evaluate(`
        window.readsOfFiles = 0;
        for (const name of ['text', 'arrayBuffer', 'bytes', 'stream', 'slice']) {
          const original = Blob.prototype[name];
          Blob.prototype[name] = function (...given) {
            if (this instanceof File) window.readsOfFiles += 1;
            return original.apply(this, given);
          };
        }`);
      await page.getByLabel('Choose a file').setInputFiles(file);
      await page.getByText(/rides\.parquet, [\d.]+ \w+: the server samples it/).waitFor();
      await page.getByLabel('Name of the table').fill('rides');
      await page.getByRole('button', { name: 'Preview', exact: true }).click();
      const documents = page.getByRole('textbox', { name: 'Schema' });
      await documents.waitFor();
      expect(JSON.parse(await documents.inputValue())).toMatchObject({ schemaName: 'rides' });
      await expect.poll(() => page.locator('main').innerText()).toMatch(/2\s+rows sampled[^]*Oslo/);
      // The second call sends the rows of the answer, with all their digits, instead of the file.
      await page.getByRole('button', { name: 'Preview again' }).click();
      await page.getByRole('button', { name: 'Preview again', disabled: false }).waitFor();
      expect(calls.filter((call) => call.startsWith('/tables/preview'))).toEqual([
        expect.stringMatching(/^\/tables\/previewFile\?name=rides\.parquet/),
        '/tables/preview',
      ]);
      await expect.poll(() => page.locator('main').innerText()).toContain('9007199254740993');
      expect(await page.evaluate('window.readsOfFiles')).toBe(0);
      await page.getByRole('button', { name: 'Create the table' }).click();
      await page.getByText('2 rows of rides.parquet loaded into rides.').waitFor();

      await page.route('**/ingestFromFile*', () => undefined);
      await page.getByRole('tab', { name: 'Segments' }).click();
      await page.getByLabel('Choose a file').setInputFiles(file);
      await page.getByRole('button', { name: 'Load', exact: true }).click();
      await page.getByRole('progressbar', { name: 'Sent' }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('rides.parquet was not loaded: it was cancelled.').waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.getByLabel('Choose another').setInputFiles({
        name: 'broken.parquet',
        mimeType: 'application/octet-stream',
        buffer: Buffer.from('PAR1'),
      });
      await page.getByRole('button', { name: 'Load', exact: true }).click();
      await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/broken\.parquet/);
    });
  });

  test('a compressed CSV is sampled by the server with the chosen delimiter', async () => {
    await using visit = await stage.visit({ place: '/preview' });
    const { page } = visit;
    await page.getByLabel('Choose a file').setInputFiles({
      name: 'cities.csv.gz',
      mimeType: 'application/gzip',
      buffer: gzipSync('city;visits\nRome;7\n'),
    });
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByText("All rows have one field, 'city;visits'.").waitFor();
    await page.getByLabel('Separated by').selectOption('semicolons');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByRole('cell', { name: 'Rome', exact: true }).first().waitFor();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Schema' }).inputValue())
      .toContain('"visits"');
  });

  test('tasks are listed by type and table; one that failed shows its whole reason in its debug record', async () => {
    const inputs = join(stage.home, 'inputs', 'broken');
    await mkdir(inputs, { recursive: true });
    await writeFile(join(inputs, 'broken.csv'), 'id,ts\n"never closed,1\n');
    await stage.call('/tasks/execute', {
      method: 'POST',
      body: JSON.stringify({
        taskType: 'SegmentGenerationAndPushTask',
        tableName: 'loaded_OFFLINE',
        taskName: 'broken_file',
        taskConfigs: {
          inputDirURI: `file://${inputs}/`,
          includeFileNamePattern: 'glob:**/*.csv',
          inputFormat: 'csv',
        },
      }),
    });
    await using visit = await stage.visit({ place: '/tasks' });
    const { page } = visit;
    await page.getByLabel('Type').selectOption('SegmentGenerationAndPushTask');
    await page.getByLabel('Table').selectOption('loaded_OFFLINE');
    await page.getByRole('link', { name: /broken_file/ }).click();
    await page.getByText('failed', { exact: true }).first().waitFor();
    await expect
      .poll(() => page.locator('main').innerText())
      .toMatch(/broken\.csv: Quote Not Closed[^]*Config of the subtask/);
  });

  test('the error of a task that is full of markup is shown as it is', async () => {
    const markup = '<img src=x onerror=alert(1)><script>alert(2)<\u2215script>';
    const inputs = join(stage.home, 'inputs', 'markup');
    await mkdir(inputs, { recursive: true });
    await writeFile(join(inputs, `${markup}.csv`), `id,ts\n"${markup},1\n`);
    await stage.call('/tasks/execute', {
      method: 'POST',
      body: JSON.stringify({
        taskType: 'SegmentGenerationAndPushTask',
        tableName: 'loaded_OFFLINE',
        taskName: 'full_of_markup',
        taskConfigs: {
          inputDirURI: `file://${inputs}/`,
          includeFileNamePattern: 'glob:**/*.csv',
          inputFormat: 'csv',
        },
      }),
    });
    await using visit = await stage.visit({ place: '/tasks' });
    const { page, complaints } = visit;
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await page.getByLabel('Type').selectOption('SegmentGenerationAndPushTask');
    await page.getByLabel('Table').selectOption('loaded_OFFLINE');
    await page.getByRole('link', { name: /full_of_markup/ }).click();
    await page.getByText('failed', { exact: true }).first().waitFor();
    await expect.poll(() => page.locator('main').innerText()).toContain(markup);
    expect([dialogs, await page.locator('img[src=x]').count(), complaints]).toEqual([0, 0, []]);
  });

  describe('restreams', () => {
    testRestreams(stageOf);
  });

  test('the cluster shows brokers, workers, stores, and the settings in force with where they come from', async () => {
    await using visit = await stage.visit({ place: '/cluster' });
    const { page } = visit;
    await page.locator('tbody tr').first().waitFor();
    await page.getByText('busy').first().waitFor();
    await expect
      .poll(() => page.locator('main').innerText())
      .toMatch(/Broker_127[^]*up[^]*Workers[^]*busy/);
    const row = page.locator('tr').filter({ hasText: 'engine.docs.public' });
    await expect.poll(() => row.innerText()).toMatch(/true[^]*test\.properties:\d+[^]*restart/);
    const secret = page
      .locator('tr')
      .filter({ hasText: 'engine.auth.principal.admin.token.sha256' });
    expect(await secret.innerText()).not.toMatch(/a2cd52/);
    const answered = page.waitForResponse((response) =>
      response.url().includes('/cluster/settings?broker='),
    );
    await page.getByRole('combobox').selectOption({ index: 1 });
    expect((await answered).status()).toBe(200);
    await row.waitFor();
  });

  test('calls of the API are tried from their description, which looks as at /docs', async () => {
    await using visit = await stage.visit({ place: '/api/readCaller' });
    const { page } = visit;
    const call = page.locator('#readCaller');
    const docs = await stage.browser.newPage();
    await docs.goto(`${stage.url}/docs`);
    const looks = [call, docs.locator('#readCaller')].map((article) =>
      article.evaluate(
        `(article) => [...article.querySelectorAll('*')].map((each) => {
          const { color, font, backgroundColor, borderRadius } = getComputedStyle(each);
          return [each.localName, each.tagName === 'DETAILS' || each.textContent, color, font, backgroundColor, borderRadius];
        })`,
      ),
    );
    const [inConsole, inDocs] = await Promise.all(looks);
    expect(inConsole).toEqual(inDocs);
    await docs.close();
    await call.getByRole('button', { name: 'Send GET' }).click();
    expect(JSON.parse(await call.getByRole('region', { name: 'Answer' }).innerText())).toEqual({
      name: 'admin',
      role: 'admin',
    });
  });

  test('an analyst is offered what an analyst may do, and no more', async () => {
    await using visit = await stage.visit({ token: analystToken, place: '/cluster' });
    const { page, calls } = visit;
    await page.getByRole('navigation').waitFor();
    await expect
      .poll(() => page.getByRole('navigation').getByRole('link').allInnerTexts())
      .toEqual(['Query', 'Results', 'Tables', 'Tasks', 'API']);
    await page.locator('.editor').waitFor();
    expect(calls.filter((call) => call.startsWith('/cluster'))).toEqual([]);
    const response = await fetch(`${stage.url}/cluster/settings`, {
      headers: { authorization: `Bearer ${analystToken}` },
    });
    expect(response.status).toBe(403);
  });
}
