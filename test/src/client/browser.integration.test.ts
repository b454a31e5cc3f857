import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import type * as Client from '@quire/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';
import { type BrowserBundle, bundleForBrowsers } from '../testkit/client-bundle.ts';

/**
 * The globals of a browser's window that the client may use: none of Node's, in particular not
 * `process` and `Buffer`.
 */
const webGlobals = {
  FormData,
  AbortController,
  AbortSignal,
  btoa,
  crypto,
  DOMException,
  fetch,
  Headers,
  performance,
  ReadableStream,
  Request,
  Response,
  setTimeout,
  clearTimeout,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
};

const entry = join(import.meta.dirname, '../../../packages/client/src/index.ts');

let bundle: BrowserBundle;
let broker: TestBroker;

beforeAll(async () => {
  bundle = await bundleForBrowsers(entry, 'iife');
  broker = await TestBroker.start();
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

/** The client as a page loads it, in a world of its own. */
function loadClient(): typeof Client {
  const context = createContext({ ...webGlobals });
  runInContext(bundle.code, context);
  return runInContext('quire', context) as typeof Client;
}

describe('the client in a bundle', () => {
  test.each([
    ['client-query.process.ts', 11_300],
    ['client-error.process.ts', 300],
  ])(
    'the client in a bundle brings only what %s uses, in at most %i bytes as they are sent',
    async (file, sizeBytesMax) => {
      const { code } = await bundleForBrowsers(join(import.meta.dirname, file), 'iife', true);
      expect(gzipSync(code).byteLength).toBeLessThan(sizeBytesMax);
      expect(code).not.toContain('/tableConfigs');
    },
  );
});

describe('the client in a browser', () => {
  test('the client in a browser imports no module of Node, in any file that it is made of', () => {
    expect(bundle.moduleCount).toBeGreaterThan(30);
    expect(bundle.builtinImports).toEqual([]);
    expect(bundle.code).not.toMatch(/from\s*["']|import\s*\(|require\s*\(/);
  });

  test('the client in a browser runs with what the web gives, and pages through a result of a broker', async () => {
    const { QuireClient } = loadClient();
    const client = new QuireClient({ baseUrl: broker.address.url, token: 'ann-token' });
    const cursor = await client.query('rows 250', { rowCount: 100 });
    const seen: unknown[] = [];
    for await (const [n, big] of cursor.rows()) seen.push([n, big]);
    expect(seen).toEqual(
      Array.from({ length: 250 }, (_, n) => [n, 9_007_199_254_740_993n + BigInt(n)]),
    );
    const csv = await new Response(
      cursor.download({ format: 'csv', pageSize: 60 }).toReadableStream(),
    ).text();
    const line = (n: number): string =>
      `${n},${9_007_199_254_740_993n + BigInt(n)},${n % 10 === 9 ? '' : `row ${n}`}\n`;
    expect(csv).toBe(`n,big,text\n${Array.from({ length: 250 }, (_, n) => line(n)).join('')}`);
    await cursor.delete();
  });

  test('the client in a browser knows its own errors', async () => {
    const { QuireClient, QuireClientError, isQuireError } = loadClient();
    const client = new QuireClient({
      baseUrl: broker.address.url,
      basic: { user: 'ann', password: 'ä' },
    });
    const error: unknown = await client.query('rows 1').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(QuireClientError);
    expect([
      isQuireError(error, 'UNAUTHENTICATED'),
      (error as Client.QuireClientError).status,
    ]).toEqual([true, 401]);
  });
});
