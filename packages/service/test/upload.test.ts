import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { tableAdminOperations } from '@quire/api';
import { yieldToEventLoop } from '@quire/core/wait';
import { expect, test } from 'vitest';
import { createService, openUpload, routeOf, ServiceMetrics, uploadRoute } from '../src/index.ts';
import { server } from './echo.ts';

interface MirrorOptions {
  /** Resolves when it reads a file. */
  readonly isReady?: Promise<void>;
  /** Called when it has a file to read. */
  readonly onOpened?: (request: IncomingMessage) => void;
  /** Called with each chunk that it reads. */
  readonly onChunk?: (chunk: Uint8Array) => void;
}

/**
 * A service that returns the files that it is sent, and takes JSON of a thousand bytes.
 */
const mirror = ({ isReady, onOpened, onChunk }: MirrorOptions = {}) =>
  createService({
    server,
    about: { title: 'Mirror', description: 'Returns files.', tags: [] },
    metrics: new ServiceMetrics(),
    routes: () => [
      uploadRoute(
        routeOf(tableAdminOperations.ingestFromFile, async (call, reply) => {
          const { name, body } = await openUpload(call, 100_000);
          onOpened?.(call.raw);
          await isReady;
          const chunks: Uint8Array[] = [];
          for await (const chunk of body) {
            chunks.push(chunk);
            onChunk?.(chunk);
          }
          return reply
            .header('x-name', name)
            .type('application/octet-stream')
            .send(Buffer.concat(chunks));
        }),
      ),
    ],
  });

/** Larger than a JSON body may be, and not UTF-8. */
const file = Buffer.from(Uint8Array.from({ length: 50_000 }, (_, index) => index % 256));

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/octet-stream',
  'text/csv',
])('an uploaded file has all its bytes, sent as %s', async (mediaType) => {
  await using service = mirror();
  const { url } = await service.listen();
  const headers = { authorization: 'ann', 'content-type': mediaType };
  const answer = await fetch(`${url}/ingestFromFile`, { method: 'POST', headers, body: file });
  expect(answer.status).toBe(200);
  expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
});

test('an uploaded file of a form has all its bytes, and its name', async () => {
  await using service = mirror();
  const { url } = await service.listen();
  const body = new FormData();
  body.append('file', new Blob([file], { type: 'application/json' }), 'rows.json');
  const headers = { authorization: 'ann' };
  const answer = await fetch(`${url}/ingestFromFile`, { method: 'POST', headers, body });
  expect(answer.headers.get('x-name')).toBe('rows.json');
  expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
});

test('two files in a form are refused, and cost nobody else anything', async () => {
  await using service = mirror();
  const { url } = await service.listen();
  const body = new FormData();
  for (const name of ['one.json', 'two.json']) body.append(name, new Blob(['{}']), name);
  const headers = { authorization: 'ann' };
  const answer = await fetch(`${url}/ingestFromFile`, { method: 'POST', headers, body });
  expect([answer.status, await answer.json()]).toMatchObject([400, { reason: 'INVALID_BODY' }]);
  expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
});

test('a second file is refused when the first was read to its end before it arrived', async () => {
  const isRead = Promise.withResolvers<void>();
  await using service = mirror({ onChunk: () => isRead.resolve() });
  const { url } = await service.listen();
  const part = (name: string): string =>
    `content-disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n{}\r\n--x`;
  const [first, second] = [`--x\r\n${part('one')}\r\n`, `${part('two')}--\r\n`];
  const caller = request(`${url}/ingestFromFile`, {
    method: 'POST',
    headers: {
      authorization: 'ann',
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': first.length + second.length,
    },
  });
  const answered = once(caller, 'response') as Promise<[IncomingMessage]>;
  caller.write(first);
  await isRead.promise;
  for (let turn = 0; turn < 10; turn += 1) await yieldToEventLoop();
  caller.end(second);
  const [answer] = await answered;
  answer.resume();
  expect(answer.statusCode).toBe(400);
});

test('a caller that hangs up before the file of its form is read costs nobody else anything', async () => {
  const opened = Promise.withResolvers<IncomingMessage>();
  const ready = Promise.withResolvers<void>();
  await using service = mirror({ isReady: ready.promise, onOpened: opened.resolve });
  const { url } = await service.listen();
  const headers = { authorization: 'ann' };
  const caller = request(`${url}/ingestFromFile`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'multipart/form-data; boundary=x' },
  });
  caller.on('error', () => undefined);
  const part = 'content-disposition: form-data; name="file"; filename="rows.json"';
  caller.write(`--x\r\n${part}\r\n\r\n{"n":1}\n`);
  const received = await opened.promise;
  const closed = new Promise((resolve) => received.once('close', resolve));
  caller.destroy();
  await closed;
  expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
  ready.resolve();
  expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
});
