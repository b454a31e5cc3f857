import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { createRequestId, systemClock, systemRandom } from '@quire/core';
import { collect, patternBytes } from '@quire/core/testing';
import { S3ObjectStore, type S3ObjectStoreOptions } from '@quire/store-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unfinishedUploads } from '../testkit/s3-fixture.ts';
import { expectRejection } from '@quire/core/conformance';
import {
  propertiesOf,
  quireHere,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { entriesBelow } from '../testkit/files-below.ts';
import { FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { S3Server, s3SettingsOf } from '../testkit/servers/s3-server.ts';
import { describeWithTool, s3Server } from '../testkit/toolchain.ts';

/** Starts uploads and sends their parts, as a writer that dies before it completes them. */
async function abandonUploads(
  options: S3ObjectStoreOptions,
  keys: readonly string[],
): Promise<void> {
  const { hostname, pathname } = new URL(options.location);
  const client = new S3Client({
    ...options,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  } as object);
  for (const key of keys) {
    const target = { Bucket: hostname, Key: `${pathname.slice(1)}/${key}` };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
    for (const PartNumber of [1, 2]) {
      await client.send(
        new UploadPartCommand({
          ...target,
          UploadId,
          PartNumber,
          Body: patternBytes(1000 * PartNumber),
        }),
      );
    }
  }
  client.destroy();
}

/**
 * Resolves once no part of the only unfinished upload is in flight: on this server such a part
 * restores an upload that is removed. The last part is sent when the next one is there.
 */
async function untilStored(store: S3ObjectStore, sizeBytes: number): Promise<void> {
  const stored = async () => (await collect(store.leftovers.list())).map((each) => each.sizeBytes);
  await expect.poll(stored).toEqual([sizeBytes]);
}

/** Makes the server report everything that it stores as two hours old. */
async function makeOlder(folder: string): Promise<void> {
  const then = systemClock.nowMs() / 1000 - 7200;
  for (const { parentPath, name } of await entriesBelow(folder)) {
    await utimes(join(parentPath, name), then, then);
  }
}

function dataKey(brokerId: string): string {
  return `${brokerId}/${createRequestId(systemClock, systemRandom)}/data.arrow`;
}

async function writeConfig(
  directory: string,
  options: ReturnType<S3Server['storeOptions']>,
): Promise<string> {
  return writeSettings(
    directory,
    propertiesOf({ ...s3SettingsOf(options), 'engine.log.format': 'json' }),
  );
}

describeWithTool(s3Server, 'unfinished uploads in a bucket', (path) => {
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start(path);
  });
  afterAll(async () => server[Symbol.asyncDispose]());

  describe('as the store tells of them', () => {
    test('unfinished uploads in a bucket as the store tells of them have the key of their object, the bytes of their parts and a time, and go when they are removed', async () => {
      const options = server.storeOptions();
      await using store = await S3ObjectStore.open(options);
      const startMs = systemClock.nowMs();
      await abandonUploads(options, ['a/1', 'a/2', 'b/1', '.hidden']);
      await abandonUploads(server.storeOptions(), ['a/1']);
      const found = await collect(store.leftovers.list({ prefix: 'a/' }));
      expect(found).toEqual([
        {
          key: expect.stringMatching(/^a\/1\?uploadId=./) as string,
          sizeBytes: 3000,
          lastModifiedMs: expect.any(Number) as number,
          owner: 'unknown',
          objectKey: 'a/1',
        },
        {
          key: expect.stringMatching(/^a\/2\?uploadId=./) as string,
          sizeBytes: 3000,
          lastModifiedMs: expect.any(Number) as number,
          owner: 'unknown',
          objectKey: 'a/2',
        },
      ]);
      for (const { lastModifiedMs } of found) {
        expect(lastModifiedMs).toBeGreaterThanOrEqual(startMs - 2000);
      }
      await store.leftovers.remove(found[0]?.key ?? '');
      await store.leftovers.remove(found[0]?.key ?? '');
      await store.leftovers.remove('no upload');
      expect((await collect(store.leftovers.list())).map(({ key }) => key.split('?')[0])).toEqual([
        'a/2',
        'b/1',
      ]);
    });

    test('unfinished uploads in a bucket as the store tells of them of this process are alive while they are written; one that is given up all the same fails, and says why', async () => {
      await using store = await S3ObjectStore.open(server.storeOptions());
      const owners: (string | undefined)[] = [];
      const source = async function* (): AsyncGenerator<Uint8Array> {
        for (let part = 0; part < 3; part += 1) yield patternBytes(8 * 1024 * 1024, part);
        await untilStored(store, 2 * 8 * 1024 * 1024);
        for (const { key, owner } of await collect(store.leftovers.list())) {
          owners.push(owner);
          if (key.startsWith('lost')) await store.leftovers.remove(key);
        }
        yield patternBytes(8 * 1024 * 1024, 3);
      };
      await store.put('kept', source());
      await expect(store.put('lost', source())).rejects.toMatchObject({
        message: expect.stringContaining(
          'was aborted by another program while it was written',
        ) as string,
      });
      expect(owners).toEqual(['alive', 'alive']);
      expect(await collect(store.leftovers.list())).toEqual([]);
    });

    test('an upload that is given up while it is written is named as such where the server resets its next part', async () => {
      await using proxy = await FaultProxy.start(server.process.port);
      await using store = await S3ObjectStore.open({
        ...server.storeOptions(),
        endpoint: proxy.endpoint,
      });
      proxy.intercept = ({ method, url }) =>
        method === 'PUT' && url.includes('partNumber=4') ? { kind: 'reset' } : undefined;
      const source = async function* (): AsyncGenerator<Uint8Array> {
        for (let part = 0; part < 3; part += 1) yield patternBytes(8 * 1024 * 1024, part);
        await untilStored(store, 2 * 8 * 1024 * 1024);
        for (const { key } of await collect(store.leftovers.list())) {
          await store.leftovers.remove(key);
        }
        yield patternBytes(8 * 1024 * 1024, 3);
      };
      await expect(store.put('lost', source())).rejects.toMatchObject({
        code: 'STORE_MISCONFIGURED',
        message: expect.stringContaining('was aborted by another program') as string,
      });
      // A part that fails while the upload exists fails for its own reason.
      const whole = async function* (): AsyncGenerator<Uint8Array> {
        for (let part = 0; part < 4; part += 1) yield patternBytes(8 * 1024 * 1024, part);
      };
      await expect(store.put('unlucky', whole())).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      });
    });

    test('an upload that is given up is named as such where a part in flight has restored it', async () => {
      await using proxy = await FaultProxy.start(server.process.port);
      await using store = await S3ObjectStore.open({
        ...server.storeOptions(),
        endpoint: proxy.endpoint,
        partsInFlightMax: 1,
      });
      const asked: string[] = [];
      proxy.intercept = ({ method, url }) => {
        if (method === 'PUT' && url.includes('partNumber=3')) return { kind: 'reset' };
        if (method !== 'GET' || !url.includes('uploadId=')) return undefined;
        asked.push(new URL(url, proxy.endpoint).searchParams.get('part-number-marker') ?? '');
        return {
          kind: 'answer',
          status: 200,
          headers: { 'Content-Type': 'application/xml' },
          body: '<ListPartsResult><IsTruncated>false</IsTruncated><Part><PartNumber>2</PartNumber></Part></ListPartsResult>',
        };
      };
      const source = async function* (): AsyncGenerator<Uint8Array> {
        for (let part = 0; part < 3; part += 1) yield patternBytes(8 * 1024 * 1024, part);
      };
      await expect(store.put('lost', source())).rejects.toMatchObject({
        code: 'STORE_MISCONFIGURED',
        message: expect.stringContaining('was aborted by another program') as string,
      });
      expect(asked).toContain('0');
    });

    test('unfinished uploads in a bucket as the store tells of them come page by page, and those that end meanwhile are left out', async () => {
      await using proxy = await FaultProxy.start(server.process.port);
      await using store = await S3ObjectStore.open({
        ...server.storeOptions(),
        endpoint: proxy.endpoint,
      });
      const root = new URL(store.location).pathname.slice(1);
      const page = (key: string, next: string): string =>
        `<ListMultipartUploadsResult><IsTruncated>${next !== ''}</IsTruncated>${next}<Upload><Key>${root}/${key}</Key><UploadId>u</UploadId><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload></ListMultipartUploadsResult>`;
      const next = `<NextKeyMarker>${root}/a</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker>`;
      const parts = `<ListPartsResult><IsTruncated>false</IsTruncated><Part><PartNumber>1</PartNumber><Size>7</Size><LastModified>2026-01-02T00:00:00.000Z</LastModified></Part></ListPartsResult>`;
      const gone = '<Error><Code>NoSuchUpload</Code></Error>';
      proxy.intercept = ({ url }) => {
        const status = url.includes(`/gone?`) ? 404 : 200;
        const uploads = url.includes('key-marker')
          ? page('b', '')
          : url.includes('prefix=')
            ? page('a', next)
            : undefined;
        return {
          kind: 'answer',
          status,
          headers: { 'Content-Type': 'application/xml' },
          body: uploads ?? (status === 404 ? gone : parts),
        };
      };
      const lastModifiedMs = Date.UTC(2026, 0, 2);
      expect(await collect(store.leftovers.list())).toEqual([
        { key: 'a?uploadId=u', sizeBytes: 7, lastModifiedMs, owner: 'unknown', objectKey: 'a' },
        { key: 'b?uploadId=u', sizeBytes: 7, lastModifiedMs, owner: 'unknown', objectKey: 'b' },
      ]);
      proxy.intercept = ({ url }) => {
        const isPart = url.includes('/gone?');
        const body = isPart ? gone : page('gone', '');
        return {
          kind: 'answer',
          status: isPart ? 404 : 200,
          headers: { 'Content-Type': 'application/xml' },
          body,
        };
      };
      expect(await collect(store.leftovers.list())).toEqual([]);
      proxy.intercept = () => ({
        kind: 'answer',
        status: 200,
        headers: { 'Content-Type': 'application/xml' },
        body: page('a', next),
      });
      await expectRejection(collect(store.leftovers.list()), 'STORE_UNAVAILABLE');
    });
  });

  describe('as cleaners see them', () => {
    test('a cleaner of the whole store removes those of results, of all brokers, and no others', async () => {
      const options = server.storeOptions();
      const keys = [dataKey('Broker_a_1'), dataKey('Broker_b_1')];
      await abandonUploads(options, [...keys, 'somebody/elses']);
      await using directory = await temporaryDirectory();
      const config = await writeConfig(directory.path, options);
      const young = await quireHere(['cleaner', '--once', '--config', config], {
        variables: testVariables,
      });
      expect({
        exitCode: young.exitCode,
        left: (await unfinishedUploads(server, options.location)).length,
      }).toEqual({
        exitCode: 0,
        left: 3,
      });
      await makeOlder(join(server.process.folder, 'buckets'));
      const { exitCode, stdout } = await quireHere(['cleaner', '--once', '--config', config], {
        variables: testVariables,
      });
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(
        /leftovers of crashed writes: wanted 5\.86 KiB, freed 2 \(5\.86 KiB\)/,
      );
      const left = await unfinishedUploads(server, options.location);
      expect(left.map((key) => key.slice(key.indexOf('/') + 1))).toEqual(['somebody/elses']);
    });

    test('a server that does not list them is not a reason to leave the rest of a sweep undone', async () => {
      await using proxy = await FaultProxy.start(server.process.port);
      const options = server.storeOptions();
      proxy.intercept = ({ url }) =>
        /[?&]uploads/.test(url) && !url.includes('.probe')
          ? {
              kind: 'answer',
              status: 403,
              headers: { 'Content-Type': 'application/xml' },
              body: '<Error><Code>AccessDenied</Code><Message>No.</Message></Error>',
            }
          : undefined;
      await using directory = await temporaryDirectory();
      const config = await writeConfig(directory.path, { ...options, endpoint: proxy.endpoint });
      const { exitCode, stderr } = await quireHere(['cleaner', '--once', '--config', config], {
        variables: testVariables,
      });
      expect({ exitCode, stderr }).toEqual({
        exitCode: 0,
        stderr: expect.stringContaining(
          'unfinished writes cannot be listed, and are kept',
        ) as string,
      });
    });
  });
});
