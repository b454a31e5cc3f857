import { isConditionalWriter, type ObjectStore, readObject } from '@quire/core';
import { collect, chunksOf, patternBytes } from '@quire/core/testing';
import { afterAll, assert, beforeAll, describe, expect, test } from 'vitest';
import { expectBytes, expectRejection } from '@quire/core/conformance';
import { type Fault, FaultProxy, type ProxiedRequest } from '../testkit/servers/fault-proxy.ts';
import { describeWithTool } from '../testkit/toolchain.ts';
import { type Backend, backendKinds, type BackendKind } from '../testkit/remote-backends.ts';
import { atFirst, calls, openRemote, retrying, timed } from './remote-fixture.ts';

/** The long run: `QUIRE_ABORTED_WRITES=200 npx vitest run test/src/stores/remote-stores.faults`. */
const abortedWrites = Number(process.env['QUIRE_ABORTED_WRITES'] ?? 40);

function describeReads({ objectHeaders }: BackendKind, start: () => Backend): void {
  const range = { start: 10, end: 20 };
  const others: [string, Fault][] = [
    ['all of the object', { kind: 'answer', status: 200, body: patternBytes(100) }],
    [
      'all of the object, and says that it is a part',
      { kind: 'answer', status: 206, body: patternBytes(100) },
    ],
    [
      'another range',
      {
        kind: 'answer',
        status: 206,
        headers: { 'Content-Range': 'bytes 0-9/100' },
        body: patternBytes(10),
      },
    ],
    [
      'less than the range',
      {
        kind: 'answer',
        status: 206,
        headers: { 'Content-Range': 'bytes 10-14/100' },
        body: patternBytes(5),
      },
    ],
    [
      'fewer bytes than it says',
      {
        kind: 'answer',
        status: 206,
        headers: { 'Content-Range': 'bytes 10-19/100' },
        body: patternBytes(9),
      },
    ],
    [
      'more bytes than it says',
      {
        kind: 'answer',
        status: 206,
        headers: { 'Content-Range': 'bytes 10-19/100' },
        body: patternBytes(11),
      },
    ],
  ];
  test.each(others)(
    'a ranged read that is answered with %s is OBJECT_SHORT_READ',
    async (_, fault) => {
      await using remote = await openRemote(start());
      remote.proxy.intercept = () =>
        fault.kind === 'answer'
          ? { ...fault, headers: { ...objectHeaders, ...fault.headers } }
          : fault;
      await expectRejection(readObject(remote.store, 'k', { range }), 'OBJECT_SHORT_READ');
      remote.proxy.intercept = () => undefined;
      expectBytes(
        await readObject(remote.store, 'k', { range }),
        patternBytes(100).subarray(10, 20),
      );
    },
  );

  test('a connection that is reset in mid-body is STORE_UNAVAILABLE, after the bytes that came', async () => {
    await using remote = await openRemote(start());
    const bytes = patternBytes(1_000_000);
    await remote.store.put('large', bytes);
    remote.proxy.intercept = () => ({ kind: 'reset', afterBytes: 300_000 });
    await using object = await remote.store.get('large');
    const chunks: Uint8Array[] = [];
    const reading = async (): Promise<void> => {
      for await (const chunk of object.body) chunks.push(chunk);
    };
    await expectRejection(reading(), 'STORE_UNAVAILABLE');
    const received = Buffer.concat(chunks);
    expectBytes(received, bytes.subarray(0, received.byteLength));
    expect(received.byteLength).toBeLessThanOrEqual(300_000);
  });
}

function describeDeletedWrites(start: () => Backend): void {
  test('an object that somebody deletes as soon as it is there was stored all the same', async () => {
    await using remote = await openRemote(start());
    remote.proxy.intercept = ({ method }) =>
      method === 'HEAD' ? { kind: 'answer', status: 404 } : undefined;
    expect(await remote.store.put('gone', patternBytes(42))).toMatchObject({
      key: 'gone',
      sizeBytes: 42,
    });
    expect(await remote.store.put('gone', chunksOf(patternBytes(42), 10))).toMatchObject({
      key: 'gone',
      sizeBytes: 42,
    });
  });
}

function describeFailures(kind: BackendKind, start: () => Backend): void {
  const passing: [string, Fault][] = [
    ['500', kind.refusal(500, 'InternalError')],
    [
      '502 in HTML',
      {
        kind: 'answer',
        status: 502,
        headers: { 'Content-Type': 'text/html' },
        body: '<html>Bad gateway<br>',
      },
    ],
    ['503 SlowDown', kind.refusal(503, 'SlowDown')],
    ['429 with Retry-After', kind.refusal(429, 'rateLimitExceeded')],
    ['a reset', { kind: 'reset' }],
  ];
  for (const [name, call] of Object.entries(calls)) {
    test.each(passing)(
      `${name} that meets %s is STORE_UNAVAILABLE after one request, and comes right when repeated`,
      async (_, fault) => {
        await using remote = await openRemote(start());
        remote.proxy.intercept = () => fault;
        await expectRejection(call(remote.store), 'STORE_UNAVAILABLE');
        expect(remote.proxy.requests.length).toBe(1);
        remote.proxy.intercept = atFirst(2, fault);
        await call(retrying(remote.store));
      },
    );

    test(`${name} that gets no answer is STORE_TIMED_OUT`, async () => {
      await using remote = await openRemote(start());
      remote.proxy.intercept = () => ({ kind: 'stall' });
      await expectRejection(call(timed(remote.store, 100)), 'STORE_TIMED_OUT');
    });

    test.each([
      [403, 'AccessDenied'],
      [403, 'InvalidAccessKeyId'],
      [403, 'SignatureDoesNotMatch'],
      [400, 'ExpiredToken'],
      [401, 'Unauthorized'],
      [404, 'NoSuchBucket'],
    ])(
      `${name} that is refused with %i %s is STORE_MISCONFIGURED, and not repeated`,
      async (status, code) => {
        await using remote = await openRemote(start());
        const refusal = kind.refusal(
          status,
          code === 'NoSuchBucket' && kind.name === 'GCS'
            ? 'The specified bucket does not exist'
            : code,
        );
        remote.proxy.intercept = () => refusal;
        const isAmbiguous =
          status === 404 && (name === 'delete' || (name === 'head' && kind.name === 'S3'));
        // The response to a HEAD has no body for the reason, and GCS answers the deletion of a
        // missing object in this way.
        if (isAmbiguous) return;
        const message = expect.stringContaining(remote.store.location) as string;
        await expect(call(retrying(remote.store))).rejects.toMatchObject({
          code: 'STORE_MISCONFIGURED',
          message,
        });
        expect(remote.proxy.requests.length).toBe(1);
      },
    );
  }

  test.skipIf(kind.name !== 'S3')(
    'a call that is refused because the clocks differ comes right when repeated',
    async () => {
      await using remote = await openRemote(start());
      for (const call of [calls['get'], calls['put'], calls['list']]) {
        remote.proxy.intercept = atFirst(1, kind.refusal(403, 'RequestTimeTooSkewed'));
        await call?.(retrying(remote.store));
        expect(remote.proxy.requests.length).toBeGreaterThan(1);
        remote.proxy.requests.length = 0;
      }
    },
  );

  test.runIf(kind.name === 'S3')(
    'a server without conditional requests is asked whether the object exists, and not sent a second one',
    async () => {
      await using remote = await openRemote(start());
      remote.proxy.intercept = ({ method, headers }) =>
        method === 'PUT' && headers['if-none-match'] !== undefined
          ? kind.refusal(501, 'NotImplemented')
          : undefined;
      const { store } = remote;
      assert(isConditionalWriter(store));
      expect(await store.putIfAbsent('k', patternBytes(7, 2))).toBeUndefined();
      expect(await store.putIfAbsent('new', patternBytes(7, 2))).toMatchObject({ sizeBytes: 7 });
      expect(await store.putIfAbsent('new', patternBytes(8, 3))).toBeUndefined();
      expectBytes(await readObject(store, 'new'), patternBytes(7, 2));
    },
  );

  test('a put whose answer is lost has put, and says that nobody knows', async () => {
    await using remote = await openRemote(start());
    remote.proxy.intercept = atFirst(1, { kind: 'lose answer' });
    await expectRejection(remote.store.put('k', patternBytes(7, 2)), 'STORE_UNAVAILABLE');
    expect([patternBytes(100), patternBytes(7, 2)]).toContainEqual(
      await readObject(remote.store, 'k'),
    );
  });
}

function describeListings(kind: BackendKind, start: () => Backend): void {
  /** Answers listings with these pages, one after the other. */
  function pages(
    store: ObjectStore,
    ...all: readonly (readonly string[])[]
  ): () => Fault | undefined {
    let index = 0;
    return () => {
      index += 1;
      return kind.listPage(
        store.location,
        all[index - 1] ?? [],
        index < all.length ? `token-${index}` : undefined,
      );
    };
  }

  test('a listing that changes between pages shows each object once', async () => {
    await using remote = await openRemote(start());
    remote.proxy.intercept = pages(
      remote.store,
      ['a', 'b', 'c'],
      ['c', 'd'],
      [],
      ['e', '.hidden', 'with space', 'f'],
    );
    expect((await collect(remote.store.list(''))).map(({ key }) => key)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
    ]);
  });

  test('a listing that is out of order is refused, not skipped over', async () => {
    await using remote = await openRemote(start());
    remote.proxy.intercept = pages(remote.store, ['b', 'c'], ['a']);
    await expectRejection(collect(remote.store.list('')), 'STORE_UNAVAILABLE');
  });

  test('a listing that fails at its second page goes on after the last entry', async () => {
    await using remote = await openRemote(start());
    const answers: Fault[] = [
      kind.listPage(remote.store.location, ['a', 'b'], 'token'),
      { kind: 'reset' },
      kind.listPage(remote.store.location, ['c'], undefined),
    ];
    remote.proxy.intercept = () => answers.shift();
    expect((await collect(retrying(remote.store).list(''))).map(({ key }) => key)).toEqual([
      'a',
      'b',
      'c',
    ]);
    const last = new URL(remote.proxy.requests.at(-1)?.url ?? '', 'http://x').searchParams;
    expect(last.get('start-after') ?? last.get('startOffset') ?? last.get('startFrom')).toMatch(
      /\/b$/,
    );
  });
}

function describeUploads(kind: BackendKind, start: () => Backend): void {
  const { partBytes } = kind;
  const bytes = patternBytes(2 * partBytes + 1000);
  const uploaded = (store: ObjectStore): Promise<unknown> =>
    store.put('large', chunksOf(bytes, 777_777));
  const partsOnly = (intercept: () => Fault | undefined) => (request: ProxiedRequest) =>
    kind.isPart(request) ? intercept() : undefined;

  test.each<[string, Fault]>([
    ['refused', kind.refusal(503, 'SlowDown')],
    ['reset', { kind: 'reset' }],
    ['stored, but the answer is lost', { kind: 'lose answer' }],
  ])('a part that is %s is sent again', async (_, fault) => {
    await using remote = await openRemote(start());
    const failing = partsOnly(atFirst(1, fault));
    const storedBytes = fault.kind === 'lose answer' ? partBytes : 0;
    remote.proxy.intercept = (request) =>
      kind.answerAboutPart(request, storedBytes) ?? failing(request);
    await uploaded(remote.store);
    expectBytes(await readObject(remote.store, 'large'), bytes);
  });

  test('an upload is completed although each request at its start and its end is refused once', async () => {
    await using remote = await openRemote(start());
    const { proxy, store } = remote;
    const refused = new Set<string>();
    proxy.intercept = (request) => {
      const name = `${request.method} ${request.url}`;
      if (kind.isPart(request) || refused.has(name)) return undefined;
      refused.add(name);
      return kind.refusal(503, 'SlowDown');
    };
    await uploaded(store);
    proxy.intercept = () => undefined;
    expectBytes(await readObject(store, 'large'), bytes);
  });

  test('a part that fails for good ends the source, and the upload', async () => {
    const backend = start();
    await using remote = await openRemote(backend);
    const failing = partsOnly(() => kind.refusal(503, 'SlowDown'));
    remote.proxy.intercept = (request) => kind.answerAboutPart(request, 0) ?? failing(request);
    let isClosed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield patternBytes(1_000_000);
      } finally {
        isClosed = true;
      }
    }
    await expectRejection(remote.store.put('large', endless()), 'STORE_UNAVAILABLE');
    expect(isClosed).toBe(true);
    expect(await backend.leftovers(remote.store, remote.proxy)).toEqual([]);
    expect((await collect(remote.store.list(''))).map(({ key }) => key)).toEqual(['k']);
  });

  test(`${abortedWrites} writes that were aborted at all stages leave no upload and no object`, async () => {
    const backend = start();
    await using remote = await openRemote(backend);
    const chunk = patternBytes(partBytes / 2);
    async function abortAfter(chunkCount: number): Promise<void> {
      const controller = new AbortController();
      async function* source(): AsyncGenerator<Uint8Array> {
        for (let index = 0; index < chunkCount; index += 1) yield chunk;
        controller.abort();
        yield chunk;
      }
      await expectRejection(
        remote.store.put(`w/${chunkCount}`, source(), { signal: controller.signal }),
        'ABORTED',
      );
    }
    for (let count = 0; count < abortedWrites; count += 4) {
      await Promise.all([1, 2, 3, 7].map((chunks) => abortAfter(chunks)));
    }
    expect(remote.proxy.requests.filter((request) => kind.isPart(request)).length).toBeGreaterThan(
      abortedWrites / 4,
    );
    expect(await backend.leftovers(remote.store, remote.proxy)).toEqual([]);
    expect((await collect(remote.store.list(''))).map(({ key }) => key)).toEqual(['k']);
  });
}

function describeReadOnly(kind: BackendKind, start: () => Backend): void {
  test('a store that will only be read opens without the permission to write, any other does not', async () => {
    await using proxy = await FaultProxy.start(start().port);
    proxy.intercept = ({ method }) =>
      ['GET', 'HEAD'].includes(method) ? undefined : kind.refusal(403, 'AccessDenied');
    await expectRejection(start().open(proxy), 'INVALID_PARAMETER');
    await using store = await start().open(proxy, { isReadOnly: true });
    expect(await collect(store.list(''))).toEqual([]);
  });
}

for (const kind of backendKinds) {
  describeWithTool(kind.tool, `${kind.name}, misbehaving`, (path) => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await kind.start(path);
    });
    afterAll(async () => backend[Symbol.asyncDispose]());
    const start = (): Backend => backend;
    describe('reads', () => {
      describeReads(kind, start);
      describeReadOnly(kind, start);
    });
    describe('calls', () => {
      describeFailures(kind, start);
    });
    describe('listings', () => {
      describeListings(kind, start);
    });
    describe('uploads', () => {
      if (kind.name === 'S3') describeDeletedWrites(start);
      describeUploads(kind, start);
    });
  });
}
