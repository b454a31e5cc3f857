import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startQuire } from '@quire/server';
import { FileProducer } from '@quire/streams';
import { type BrowserContext, chromium as playwright, type Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { chromium, describeWithTool } from '../testkit/toolchain.ts';
import { patience } from '../testkit/until.ts';

const admin = { username: 'admin', password: 'quickstart-admin' };
const authorization = `Basic ${Buffer.from(`${admin.username}:${admin.password}`).toString('base64')}`;

const schema = {
  schemaName: 'events',
  dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};
const stream = {
  streamType: 'file',
  'stream.file.topic.name': 'events',
  'stream.file.consumer.prop.auto.offset.reset': 'smallest',
};
const tables = {
  tableName: 'events',
  schema,
  offline: { tableName: 'events', tableType: 'OFFLINE', segmentsConfig: { timeColumnName: 'ts' } },
  realtime: {
    tableName: 'events',
    tableType: 'REALTIME',
    segmentsConfig: { timeColumnName: 'ts' },
    ingestionConfig: { streamIngestionConfig: { streamConfigMaps: [stream] } },
  },
};

/** A page that can send a form, with a file if one is given. */
const formPage = `<!doctype html><script>
function sendForm(action, text) {
  const form = Object.assign(document.createElement('form'), { method: 'post', action });
  if (text !== undefined) {
    form.enctype = 'multipart/form-data';
    const input = Object.assign(document.createElement('input'), { type: 'file', name: 'file' });
    const { items, files } = new DataTransfer();
    items.add(new File([text], 'rows.json'));
    input.files = files;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}
</script><body></body>`;

/** A site with that page, under two names of this machine, each of which is a separate origin. */
async function startSite(): Promise<
  { readonly origins: readonly [string, string] } & AsyncDisposable
> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(formPage),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    // The service is at 127.0.0.1. Another port of that address is the same site but another
    // origin; localhost is another site.
    origins: [`http://127.0.0.1:${port}`, `http://localhost:${port}`],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Submits a form from a page of an origin, and returns the status of the resulting page. */
async function submitForm(
  page: Page,
  origin: string,
  action: string,
  file?: string,
): Promise<number | undefined> {
  await page.goto(origin);
  const answered = page.waitForResponse((response) => response.url() === action);
  const loaded = page.waitForEvent('load');
  await page.evaluate(`sendForm(${[action, file].map((each) => JSON.stringify(each)).join()})`);
  await loaded;
  return (await answered).status();
}

/** Sends a POST without a body, as a page may that cannot read the answer. */
async function postNothing(page: Page, url: string): Promise<number> {
  const answered = page.waitForResponse((response) => response.url() === url);
  await page.evaluate(
    (target) => fetch(target, { method: 'POST', mode: 'no-cors', credentials: 'include' }),
    url,
  );
  return (await answered).status();
}

describeWithTool(chromium, 'a browser that holds Basic credentials', (program) => {
  test('a browser that holds Basic credentials lends them to no page of another origin for a change, unless it is allowed', async () => {
    await using home = await temporaryDirectory();
    await using site = await startSite();
    await using allowed = await startSite();
    await using producer = await FileProducer.open({
      directory: join(home.path, 'streams'),
      topic: 'events',
    });
    await producer.append([{ key: null, value: Buffer.from('{"id":1,"ts":1700000000000}') }]);
    await using quire = await startQuire({
      roles: ['server', 'broker', 'proxy', 'controller'],
      set: {
        'engine.broker.client.queryPort': '0',
        'proxy.port': '0',
        'controller.port': '0',
        'engine.broker.pagination.protocol': 'memory',
        'engine.broker.pagination.temp.dir': join(home.path, 'temp'),
        'engine.tables.data.dir': join(home.path, 'tables'),
        'engine.stream.file.dir': join(home.path, 'streams'),
        'engine.http.cors.origins': allowed.origins.join(','),
        'engine.auth.principal.admin.role': 'admin',
        'engine.auth.principal.admin.token.sha256':
          'a2cd52efc39c534198023f401b2bd3f24404d58964ec81aedfb001810a4b8893',
      },
    });
    const { broker, proxy, controller } = quire.addresses;
    const url = String(controller?.url);
    const call = async (path: string, init: RequestInit = {}): Promise<unknown> => {
      const response = await fetch(url + path, {
        ...init,
        headers: { authorization, 'content-type': 'application/json' },
      });
      return response.json();
    };
    await call('/tableConfigs', { method: 'POST', body: JSON.stringify(tables) });
    const state = async () => [
      ((await call('/segments/events_OFFLINE')) as [{ OFFLINE: string[] }])[0].OFFLINE.length,
      ((await call('/tables/events_REALTIME/pauseStatus')) as { pauseFlag: boolean }).pauseFlag,
    ];
    const ingest = `${url}/ingestFromFile?tableNameWithType=events_OFFLINE&batchConfigMapStr=${encodeURIComponent('{"inputFormat":"json"}')}`;
    const pause = `${url}/tables/events_REALTIME/pauseConsumption`;
    const rows = '{"id":2,"ts":1700000000001}\n';
    const browser = await playwright.launch({
      executablePath: program,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
    try {
      const context: BrowserContext = await browser.newContext({ httpCredentials: admin });
      context.setDefaultTimeout(patience.timeout);
      const page = await context.newPage();
      // The browser receives a challenge for credentials here, and caches them.
      for (const server of [url, broker?.url, proxy?.url]) {
        expect((await page.goto(`${server}/docs`))?.status()).toBe(200);
      }

      for (const origin of site.origins) {
        for (const [action, file] of [
          [ingest, rows],
          [pause, undefined],
          [`${broker?.url}/query/sql`, undefined],
          [`${proxy?.url}/query/sql`, undefined],
          [`${url}/query/sql`, undefined],
        ] as const) {
          expect([origin, action, await submitForm(page, origin, action, file)]).toEqual([
            origin,
            action,
            403,
          ]);
        }
        await page.goto(origin);
        expect(await postNothing(page, pause)).toBe(403);
      }
      expect(await state()).toEqual([0, false]);

      expect(await submitForm(page, allowed.origins[1], ingest, rows)).toBe(200);
      await page.goto(`${url}/docs`);
      expect(await postNothing(page, pause)).toBe(200);
      expect(await state()).toEqual([1, true]);
    } finally {
      await browser.close();
    }
  });
});
