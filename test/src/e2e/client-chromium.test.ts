import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FaultProxy } from '../servers/fault-proxy.ts';
import { chromium, describeWithTool } from '../toolchain.ts';
import { TestBroker } from './broker-server.ts';
import { temporaryDirectory } from './cli-process.ts';
import { bundleForBrowsers } from './client-bundle.ts';

const html = '<!doctype html><meta charset="utf-8"><title>Quire</title><script type="module" src="/page.js"></script>';

/** Opens a page in a browser without a window, until disposed; or until the signal, as a test that times out disposes of nothing. */
async function openPage(program: string, url: string, signal: AbortSignal): Promise<AsyncDisposable> {
  const profile = await temporaryDirectory();
  signal.throwIfAborted();
  const switches = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
  // All its processes share a group, by which they are killed, and this pipe, which closes when the last of them has ended.
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const browser = spawn(program, [...switches, `--user-data-dir=${profile.path}`, url], { stdio: [...stdio], detached: true });
  const closed = new Promise((resolve) => browser.once('close', resolve));
  browser.stderr?.resume();
  let isKilled = false;
  const kill = (): void => {
    if (browser.pid === undefined || isKilled) return;
    isKilled = true;
    process.kill(-browser.pid, 'SIGKILL');
  };
  signal.addEventListener('abort', kill);
  return {
    [Symbol.asyncDispose]: async () => {
      kill();
      await closed;
      await profile[Symbol.asyncDispose]();
    },
  };
}

describeWithTool(chromium, 'the client in Chromium', (path) => {
  test('pages through a result of a broker behind the page’s own origin', { timeout: 120_000 }, async ({ signal }) => {
    const { code } = await bundleForBrowsers(join(import.meta.dirname, 'client-page.process.ts'), 'es');
    await using broker = await TestBroker.start();
    await using origin = await FaultProxy.start(broker.address.port);
    const report = Promise.withResolvers<unknown>();
    // The browser must see one origin: a broker sends no CORS headers.
    origin.intercept = ({ url }) => {
      const answer = (contentType: string, body: string) =>
        ({ kind: 'answer', status: 200, headers: { 'content-type': contentType }, body }) as const;
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
