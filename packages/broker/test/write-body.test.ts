import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { writeAtOnce, writeBody } from '../src/send-rows.ts';

/** Answers one call by `write`, and returns the client's side of it. */
async function serving(
  write: (response: ServerResponse) => Promise<unknown>,
  look: (incoming: IncomingMessage) => Promise<void>,
): Promise<unknown> {
  const outcome = Promise.withResolvers<unknown>();
  const server = createServer(
    (_request, response) => void write(response).then(outcome.resolve, outcome.resolve),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const request = get({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      agent: false,
    });
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
      const starts = Array.from({ length: 20 }, (_, index) =>
        bytes.subarray(index * 300_000, (index + 1) * 300_000),
      );
      expect(bytes.byteLength).toBe(20 * 300_000);
      expect(starts.map((chunk) => [...new Set(chunk)])).toEqual(
        Array.from({ length: 20 }, (_, index) => [index + 1]),
      );
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

test('memory of what is written at once is free when all of it is taken, be the client slow', async () => {
  const sizeBytes = 32 * 1024 * 1024;
  const outcome = await serving(
    async (response) => {
      const memory = new Uint8Array(sizeBytes).fill(7);
      const isTaken = await writeAtOnce(response, [memory.subarray(0, 100), memory.subarray(100)]);
      memory.fill(0);
      return isTaken;
    },
    async (incoming) => {
      let takenBytes = 0;
      for await (const chunk of incoming as AsyncIterable<Buffer>) {
        takenBytes += chunk.byteLength;
        expect(Buffer.alloc(chunk.byteLength, 7).equals(chunk)).toBe(true);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(takenBytes).toBe(sizeBytes);
    },
  );
  expect(outcome).toBe(true);
});

test('what is written at once to a client that goes away is not taken', async () => {
  const outcome = await serving(
    (response) => writeAtOnce(response, [new Uint8Array(32 * 1024 * 1024)]),
    async (incoming) => {
      await once(incoming, 'readable');
      incoming.destroy();
    },
  );
  expect(outcome).toBe(false);
});

test('what is written at once to a client that has gone away is not taken', async () => {
  const outcome = await serving(
    async (response) => {
      response.flushHeaders();
      await once(response, 'close');
      return await writeAtOnce(response, [new Uint8Array(10)]);
    },
    async (incoming) => {
      incoming.destroy();
    },
  );
  expect(outcome).toBe(false);
});
