import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { writeBody } from '../src/send-rows.ts';

/** Answers one call with what `write` writes, and gives the client's side of it. */
async function serving(
  write: (response: ServerResponse) => Promise<void>,
  look: (incoming: IncomingMessage) => Promise<void>,
): Promise<unknown> {
  const outcome = Promise.withResolvers<unknown>();
  const server = createServer((_request, response) => void write(response).then(outcome.resolve, outcome.resolve));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
    const [incoming] = (await once(request, 'response')) as [IncomingMessage];
    await look(incoming);
    return await outcome.promise;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('a source may write every chunk into the same memory', async () => {
  const memory = new Uint8Array(300_000);
  const chunks = (async function* () {
    for (let index = 1; index <= 20; index += 1) yield memory.fill(index);
  })();
  await serving(
    (response) => writeBody(response, chunks),
    async (incoming) => {
      const bytes = Buffer.concat((await incoming.toArray()) as Buffer[]);
      const starts = Array.from({ length: 20 }, (_, index) => bytes.subarray(index * 300_000, (index + 1) * 300_000));
      expect(bytes.byteLength).toBe(20 * 300_000);
      expect(starts.map((chunk) => [...new Set(chunk)])).toEqual(Array.from({ length: 20 }, (_, index) => [index + 1]));
    },
  );
});

test('a client that takes nothing is not read for, and one that goes away closes the source', async () => {
  let yielded = 0;
  const closed = Promise.withResolvers<string>();
  const chunks = (async function* () {
    try {
      for (;;) {
        yielded += 1;
        yield new Uint8Array(16 * 1024 * 1024);
      }
    } finally {
      closed.resolve('closed');
    }
  })();
  const outcome = await serving(
    (response) => writeBody(response, chunks),
    async (incoming) => {
      await once(incoming, 'readable');
      incoming.destroy();
    },
  );
  expect(await closed.promise).toBe('closed');
  expect(yielded).toBe(1);
  expect(outcome).toBeUndefined();
});

test('a failure of the source destroys the connection and comes out', async () => {
  const chunks = (async function* () {
    yield new Uint8Array(10);
    throw new Error('torn');
  })();
  const outcome = await serving(
    (response) => writeBody(response, chunks),
    (incoming) => expect(incoming.toArray()).rejects.toThrow('aborted'),
  );
  expect(outcome).toEqual(new Error('torn'));
});
