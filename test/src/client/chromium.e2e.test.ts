import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { chromium, describeWithTool } from '../testkit/toolchain.ts';
import { TestBroker } from '../testkit/broker-server.ts';
import { bundleForBrowsers } from '../testkit/client-bundle.ts';
import { openPage } from '../testkit/open-page.ts';

const html =
  '<!doctype html><meta charset="utf-8"><title>Quire</title><script type="module" src="/page.js"></script>';

describeWithTool(chromium, 'the client in Chromium', (path) => {
  test('the client in Chromium pages through a result of a broker behind the page’s own origin', async ({
    signal,
  }) => {
    const { code } = await bundleForBrowsers(
      join(import.meta.dirname, 'client-page.process.ts'),
      'es',
    );
    await using broker = await TestBroker.start();
    await using origin = await FaultProxy.start(broker.address.port);
    const report = Promise.withResolvers<unknown>();
    // The browser must see one origin: a broker sends no CORS headers.
    origin.intercept = ({ url }) => {
      const answer = (contentType: string, body: string) =>
        ({
          kind: 'answer',
          status: 200,
          headers: { 'content-type': contentType },
          body,
        }) as const;
      if (url === '/') return answer('text/html', html);
      if (url === '/page.js') return answer('text/javascript', code);
      if (url === '/favicon.ico') return answer('image/png', '');
      if (!url.startsWith('/report?')) return undefined;
      report.resolve(JSON.parse(decodeURIComponent(url.slice('/report?'.length))));
      return answer('text/plain', '');
    };
    await using _page = await openPage(path, `${origin.endpoint}/`, signal);
    expect(await report.promise).toEqual({
      rowCount: 2500,
      lastRow: '[2499,"9007199254743492"]',
      page: [1996, 7, { host: 'broker.example', port: broker.address.port }],
      backward: 1989,
      csv: ['2498,9007199254743491,row 2498', '2499,9007199254743492,', ''],
      arrowSizeIsWhole: true,
      deleted: 'RESULT_DELETED',
      stranger: 'UNAUTHENTICATED',
      aborted: 'TimeoutError',
      hasBuffer: false,
    });
    await broker.engine.untilIdle();
  });
});
