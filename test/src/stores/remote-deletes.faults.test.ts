import { type ObjectStore, QuireError, systemRandom, withRetry } from '@quire/core';
import { collect } from '@quire/core/testing';
import { removeResult, ResultStore } from '@quire/results';
import { S3ObjectStore } from '@quire/store-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countingRows } from '../testkit/builders/counting-rows.ts';
import { expectRejection } from '@quire/core/conformance';
import { type Fault, FaultProxy, type ProxiedRequest } from '../testkit/servers/fault-proxy.ts';
import { S3Server } from '../testkit/servers/s3-server.ts';
import { describeWithTool, s3Server } from '../testkit/toolchain.ts';
import { hastyClock } from '../testkit/remote-backends.ts';

interface Remote extends AsyncDisposable {
  readonly store: S3ObjectStore;
  readonly proxy: FaultProxy;
}

async function openRemote(server: S3Server, keys: readonly string[]): Promise<Remote> {
  const proxy = await FaultProxy.start(server.process.port);
  const store = await S3ObjectStore.open({ ...server.storeOptions(), endpoint: proxy.endpoint });
  await Promise.all(keys.map((key) => store.put(key, Uint8Array.of(1))));
  proxy.requests.length = 0;
  return {
    store,
    proxy,
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

function keysUpTo(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `k/${index}`);
}

function isBatch({ method, url }: ProxiedRequest): boolean {
  return method === 'POST' && /[?&]delete/.test(url);
}

/** Returns the outcomes of deletes: `done`, or the code of the error. */
function outcomesOf(deletes: readonly Promise<void>[]): Promise<readonly string[]> {
  return Promise.all(
    deletes.map((each) =>
      each.then(
        () => 'done',
        (error: unknown) => (error instanceof QuireError ? error.code : String(error)),
      ),
    ),
  );
}

function xml(status: number, body: string): Fault {
  return { kind: 'answer', status, headers: { 'Content-Type': 'application/xml' }, body };
}

async function remaining(store: ObjectStore): Promise<number> {
  return (await collect(store.list(''))).length;
}

describeWithTool(s3Server, 'deletes in S3 at the same time', (path) => {
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start(path);
  });
  afterAll(async () => server[Symbol.asyncDispose]());

  test('deletes in S3 at the same time go in one request', async () => {
    const keys = keysUpTo(100);
    await using remote = await openRemote(server, keys);
    expect(
      await outcomesOf([...keys, 'no-such', 'k/1'].map((key) => remote.store.delete(key))),
    ).toEqual(Array.from({ length: 102 }, () => 'done'));
    expect(remote.proxy.requests.map((request) => isBatch(request))).toEqual([true]);
    expect(await remaining(remote.store)).toBe(0);
  });

  test('deletes in S3 at the same time by many who each delete one after the other take few requests', async () => {
    const keys = keysUpTo(160);
    await using remote = await openRemote(server, keys);
    const left = [...keys];
    const work = async (): Promise<void> => {
      for (let key = left.pop(); key !== undefined; key = left.pop()) {
        await remote.store.delete(key);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    expect(await remaining(remote.store)).toBe(0);
    const deletes = remote.proxy.requests.filter(({ method }) => method !== 'GET');
    expect(deletes.length).toBeLessThanOrEqual(160 / 2);
  });

  test('deletes in S3 at the same time of a sweep with 16 results at once: a listing for each result, and half a request for each object or less', async () => {
    await using remote = await openRemote(server, []);
    const results = new ResultStore({
      store: remote.store,
      brokerId: 'b',
      expirationMs: 1000,
      expirationMaxMs: 1000,
    });
    for (let count = 0; count < 64; count += 1) {
      await results.create(countingRows(10), { owner: 'o' });
    }
    const left = await collect(results.list());
    remote.proxy.requests.length = 0;
    const work = async (): Promise<void> => {
      for (let entry = left.pop(); entry !== undefined; entry = left.pop()) {
        await removeResult(remote.store, entry);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    const listingCount = remote.proxy.requests.filter(({ method }) => method === 'GET').length;
    expect(listingCount).toBe(64);
    expect(remote.proxy.requests.length - listingCount).toBeLessThanOrEqual(128 / 2);
    expect(await remaining(remote.store)).toBe(0);
  });

  test('deletes in S3 at the same time end each by what the answer says of its key', async () => {
    await using remote = await openRemote(server, []);
    const root = new URL(remote.store.location).pathname.slice(1);
    const deleted = (key: string): string => `<Deleted><Key>${root}/${key}</Key></Deleted>`;
    const failed = (key: string, code: string): string =>
      `<Error><Key>${root}/${key}</Key><Code>${code}</Code><Message>No.</Message></Error>`;
    const answers = [
      deleted('a'),
      failed('b', 'AccessDenied'),
      failed('c', 'SlowDown'),
      failed('e', 'NoSuchKey'),
    ];
    remote.proxy.intercept = () => xml(200, `<DeleteResult>${answers.join('')}</DeleteResult>`);
    const deletes = ['a', 'b', 'c', 'd', 'e'].map((key) => remote.store.delete(key));
    const codes = ['done', 'STORE_MISCONFIGURED', 'STORE_UNAVAILABLE', 'STORE_UNAVAILABLE', 'done'];
    expect(await outcomesOf(deletes)).toEqual(codes);
    await expect(deletes[1]).rejects.toThrow(
      `delete of b in ${remote.store.location} failed: AccessDenied: No.`,
    );
    expect(remote.proxy.requests.length).toBe(1);
  });

  test('deletes in S3 at the same time are repeated for the keys that failed, and for those alone', async () => {
    const keys = keysUpTo(5);
    await using remote = await openRemote(server, keys);
    const root = new URL(remote.store.location).pathname.slice(1);
    const done = keys.slice(1).map((key) => `<Deleted><Key>${root}/${key}</Key></Deleted>`);
    const busy = `<Error><Key>${root}/k/0</Key><Code>InternalError</Code><Message>Later.</Message></Error>`;
    const answers: Fault[] = [xml(200, `<DeleteResult>${busy}${done.join('')}</DeleteResult>`)];
    remote.proxy.intercept = () => answers.shift();
    const retrying = withRetry(remote.store, {
      clock: hastyClock,
      random: systemRandom,
      attemptsMax: 2,
      delayMs: 1,
      delayMaxMs: 1,
    });
    await Promise.all(keys.map((key) => retrying.delete(key)));
    expect(remote.proxy.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
  });

  test('all fail when the request does, after one request', async () => {
    await using remote = await openRemote(server, []);
    remote.proxy.intercept = () =>
      xml(503, '<Error><Code>SlowDown</Code><Message>Later.</Message></Error>');
    expect(await outcomesOf(keysUpTo(3).map((key) => remote.store.delete(key)))).toEqual(
      Array.from({ length: 3 }, () => 'STORE_UNAVAILABLE'),
    );
    expect(remote.proxy.requests.length).toBe(1);
  });

  test('deletes in S3 at the same time go one by one, from then on, where the server takes them only so', async () => {
    const keys = keysUpTo(10);
    await using remote = await openRemote(server, keys);
    remote.proxy.intercept = (request) =>
      isBatch(request)
        ? xml(501, '<Error><Code>NotImplemented</Code><Message>No.</Message></Error>')
        : undefined;
    await Promise.all(keys.slice(0, 5).map((key) => remote.store.delete(key)));
    await Promise.all(keys.slice(5).map((key) => remote.store.delete(key)));
    expect(await remaining(remote.store)).toBe(0);
    expect(remote.proxy.requests.filter(isBatch).length).toBe(1);
  });

  test('deletes in S3 at the same time are given up one by one: the others go on, and without others the request ends', async () => {
    const keys = keysUpTo(3);
    await using remote = await openRemote(server, keys);
    const [one, rest] = [new AbortController(), new AbortController()];
    const held = Promise.withResolvers<void>();
    let isHeld = true;
    remote.proxy.intercept = () => {
      held.resolve();
      return isHeld ? { kind: 'stall' } : undefined;
    };
    const deletes = keys.map((key, index) =>
      remote.store.delete(key, { signal: (index === 0 ? one : rest).signal }),
    );
    await held.promise;
    isHeld = false;
    const next = remote.store.delete('k/0');
    const never = remote.store.delete('k/1', { signal: one.signal });
    one.abort();
    await expectRejection(Promise.race(deletes), 'ABORTED');
    await expectRejection(never, 'ABORTED');
    rest.abort();
    expect(await outcomesOf([...deletes, next])).toEqual(['ABORTED', 'ABORTED', 'ABORTED', 'done']);
    expect(remote.proxy.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
    expect((await collect(remote.store.list(''))).map(({ key }) => key)).toEqual(['k/1', 'k/2']);
  });
});
