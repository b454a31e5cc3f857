import {
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { isQuireError, MiB, type QuireError } from '@quire/core';
import { FileProducer } from '@quire/streams';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openTableQueries } from '../../../test/src/testkit/embedded-tables.ts';
import { DirectoryTables } from '../src/index.ts';
import { Records } from '../src/directory/records.ts';
import { VerificationHost } from '../src/queries/index.ts';
import type { ConsumingRecord } from '../src/segments/manifest.ts';
import { identityOf } from '../src/segments/verify-file.ts';
import { configOf } from './orders.ts';
import { jsonLines, TestServer } from './test-server.ts';
import { until } from '../../../test/src/testkit/until.ts';

/**
 * The number of bits that are flipped, one at a time; `QUIRE_DAMAGED_FILES` sets another number,
 * and another seed.
 */
const [flipCount = 24, seed = 27] = (process.env['QUIRE_DAMAGED_FILES'] ?? '')
  .split(',')
  .filter(Boolean)
  .map(Number);

const schemaOf = (schemaName: string) => ({
  schemaName,
  dimensionFieldSpecs: [{ name: 'name', dataType: 'STRING' }],
  metricFieldSpecs: [{ name: 'n', dataType: 'LONG' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
});

/** Files of one table to damage, and the answers of queries while they are intact. */
interface Target {
  readonly table: string;
  readonly sql: string;
  readonly files: readonly string[];
  readonly answer: readonly Record<string, unknown>[];
}

let server: TestServer;
let producer: FileProducer;
const targets: Record<'segments' | 'chunks', Target> = {} as never;

const summary = (table: string): string =>
  `SELECT CAST(count(*) AS INTEGER) AS c, CAST(sum(n) AS INTEGER) AS s, CAST(sum(length(name)) AS INTEGER) AS l FROM ${table}`;

beforeAll(async () => {
  server = await TestServer.open();
  const { engine } = server;
  for (const name of ['flights', 'others']) {
    await engine.createSchema(schemaOf(name));
    await engine.createTable({
      tableName: name,
      tableType: 'OFFLINE',
      segmentsConfig: { replication: '1' },
    });
    for (let part = 0; part < 3; part += 1) {
      const rows = Array.from({ length: 300 }, (_, index) => ({
        name: `${name} ${part} ${(index * 7) % 50}`,
        n: part * 1_000 + index,
      }));
      await engine.ingest({
        tableNameWithType: `${name}_OFFLINE`,
        source: { kind: 'bytes', name: 'rows.jsonl', body: jsonLines(rows) },
        batchConfig: {},
      });
    }
  }
  producer = await openOrders(server);
  for (let part = 1; part <= 3; part += 1) {
    const values = Array.from({ length: 40 }, (_, index) =>
      JSON.stringify({ name: `order ${part}`, n: part * 100 + index, ts: 1 }),
    );
    await producer.append(
      values.map((value) => ({ key: null, value: Buffer.from(value), partition: 0 })),
    );
    await until(
      async () =>
        (await server.value('SELECT CAST(count(*) AS INTEGER) FROM orders')) === part * 40,
      'all messages are rows',
    );
  }
  targets.segments = await targetOf('flights', 'flights_OFFLINE');
  targets.chunks = await targetOf('orders', 'orders_REALTIME');
});

afterAll(async () => {
  await producer[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Creates the table of the stream `orders`, and opens a producer of the stream. */
async function openOrders({ engine, directory }: TestServer): Promise<FileProducer> {
  const orders = await FileProducer.open({
    directory: join(directory, 'streams'),
    topic: 'orders',
    partitionCount: 1,
  });
  await engine.createSchema(schemaOf('orders'));
  await engine.createTable(configOf());
  return orders;
}

async function targetOf(table: string, name: string): Promise<Target> {
  const data = join(server.directory, 'data');
  const directory = join(data, (await readdir(data)).find((each) => each.startsWith(name)) ?? '');
  const files = (await readdir(directory))
    .filter((file) => file.endsWith('.parquet'))
    .map((file) => join(directory, file));
  expect(files.length).toBeGreaterThanOrEqual(3);
  return { table, sql: summary(table), files, answer: await server.rows(summary(table)) };
}

/** Damages a file; `other` is another one of the same table. */
type Damage = (path: string, other: string) => Promise<void>;

async function flip(path: string, bit: number): Promise<void> {
  const bytes = await readFile(path);
  const index = Math.floor(bit / 8) % bytes.byteLength;
  const handle = await open(path, 'r+');
  try {
    await handle.write(Buffer.from([(bytes[index] ?? 0) ^ (1 << (bit % 8))]), 0, 1, index);
  } finally {
    await handle.close();
  }
}

const damages: Readonly<Record<string, Damage>> = {
  'a file that is cut by a byte': async (path) =>
    truncate(path, (await readFile(path)).byteLength - 1),
  'half of a file': async (path) =>
    truncate(path, Math.floor((await readFile(path)).byteLength / 2)),
  'an empty file': (path) => truncate(path, 0),
  'a missing file': (path) => rm(path),
  'a directory in its place': async (path) => {
    await rm(path);
    await mkdir(path);
  },
  'a link to itself': async (path) => {
    await rm(path);
    await symlink(path, path);
  },
  'a copy of another file under its name': async (path, other) => {
    await rename(path, `${path}.aside`);
    await copyFile(other, path);
    await rm(`${path}.aside`);
  },
  'the bytes of another file in place': async (path, other) =>
    writeFile(path, await readFile(other)),
  'a file that is there twice': async (path) =>
    writeFile(path, Buffer.concat([await readFile(path), await readFile(path)])),
  'zeros of the same length': async (path) =>
    writeFile(path, Buffer.alloc((await readFile(path)).byteLength)),
  'text of the same length': async (path) => {
    const { byteLength } = await readFile(path);
    await writeFile(path, 'PAR1'.repeat(byteLength).slice(0, byteLength));
  },
};

/** Queries while a file is damaged, with and without caches, and after it was restored. */
async function expectRefused(
  { table, sql, files, answer }: Target,
  index: number,
  damage: Damage,
): Promise<void> {
  const path = files[index % files.length] ?? '';
  const other = files[(index + 1) % files.length] ?? '';
  const bytes = await readFile(path);
  try {
    // This process has already verified all files.
    expect(await server.rows(sql)).toEqual(answer);
    await damage(path, other);
    const error = await errorOf(() => server.rows(sql));
    const [segmentName = ''] = (path.split('/').at(-1) ?? '').split(
      /(?:\.chunk)?\.[0-9a-f]{12}\.parquet$/,
    );
    expect([error.code, error.message]).toEqual([
      'TABLE_DAMAGED',
      expect.stringContaining(`The table is damaged: ${segmentName}.`),
    ]);
    await using cold = await openTableQueries(server.directory, join(server.directory, 'spill'));
    const coldly = await errorOf(async () => {
      await using execution = await cold.execute({ sql }, { limits: { timeoutMs: 240_000 } });
      await Array.fromAsync(execution.batches);
    });
    expect(coldly.message).toEqual(error.message);
    // Other tables are served as before, and a query of the catalog reads no rows.
    expect(await server.value('SELECT CAST(sum(n) AS INTEGER) FROM others')).toBe(
      300 * (1_000 + 2_000) + 3 * 44_850,
    );
    const columns = `SELECT CAST(count(*) AS INTEGER) FROM information_schema.columns WHERE table_name = '${table}'`;
    expect(await server.value(columns)).toBe(3);
  } finally {
    await rm(path, { recursive: true, force: true });
    await writeFile(path, bytes);
  }
  expect(await server.rows(sql)).toEqual(answer);
}

async function errorOf(act: () => Promise<unknown>): Promise<QuireError> {
  try {
    await act();
  } catch (error) {
    if (isQuireError(error)) return error;
    throw error;
  }
  throw new Error('A query of damaged files had an answer.');
}

describe.each(['segments', 'chunks'] as const)(
  'rows of damaged %s are never in an answer',
  (kind) => {
    test.for(Object.entries(damages))(
      'rows of damaged %s are never in an answer: %s',
      async ([, damage]) => {
        for (const index of [0, 1, 2]) await expectRefused(targets[kind], index, damage);
      },
    );

    test(`a flipped bit, wherever it is: ${flipCount} of them by seed ${seed}`, async () => {
      const places = fc.sample(fc.nat({ max: 8 * MiB }), { numRuns: flipCount, seed });
      for (const [index, place] of places.entries()) {
        await expectRefused(targets[kind], index, (path) => flip(path, place));
      }
    });
  },
);

describe('a table server whose files are damaged', () => {
  const flightsWith = async (): Promise<TestServer> => {
    const damaged = await TestServer.open();
    await damaged.engine.createSchema(schemaOf('flights'));
    await damaged.engine.createTable({
      tableName: 'flights',
      tableType: 'OFFLINE',
      segmentsConfig: { replication: '1' },
    });
    return damaged;
  };
  const load = (to: TestServer, n: number) =>
    to.engine.ingest({
      tableNameWithType: 'flights_OFFLINE',
      source: { kind: 'bytes', name: 'rows.jsonl', body: jsonLines([{ name: 'a', n }]) },
      batchConfig: {},
    });
  const filesOf = async ({ directory }: TestServer): Promise<readonly string[]> => {
    const paths = await readdir(join(directory, 'data'), { recursive: true });
    return paths
      .filter((path) => path.endsWith('.parquet'))
      .map((path) => join(directory, 'data', path));
  };

  test('a table server whose files are damaged reads a file once for all processes that share what they know, and a damaged one once for each', async () => {
    await using damaged = await flightsWith();
    await load(damaged, 1);
    const [path = ''] = await filesOf(damaged);
    const shared = new VerificationHost();
    const tables = new DirectoryTables(damaged.directory, { shared });
    const relations = await tables.resolve(['flights']);
    await expect(tables.verify(relations, { signal: AbortSignal.abort() })).rejects.toThrow(
      expect.objectContaining({ code: 'ABORTED' }),
    );
    const identity = () => ({ path, identity: identityOf(path) ?? '' });
    expect(await shared.find([identity()])).toEqual([false]);
    await tables.verify(relations);
    expect(await shared.find([identity()])).toEqual([true]);
    await flip(path, 400);
    await expect(tables.verify(relations)).rejects.toThrow('has the checksum');
    expect(await shared.find([identity()])).toEqual([false]);
    // The message is unchanged although other checksums are expected now: no file was read again.
    const changed = relations.map((relation) => ({
      ...relation,
      parts: relation.parts.map((part) => ({
        ...part,
        files: part.files.map((file) => ({ ...file, checksum: '0', sizeBytes: 0 })),
      })),
    }));
    await expect(tables.verify(changed)).rejects.toThrow(/has the checksum \d+; expected \d+/);
  });

  test('a table server whose files are damaged has all files that queries read, and no record of a table, in one directory', async () => {
    await using damaged = await flightsWith();
    await load(damaged, 1);
    const tables = new DirectoryTables(damaged.directory);
    const relations = await tables.resolve(['flights']);
    const paths = relations.flatMap(({ parts }) =>
      parts.flatMap(({ files }) => files.map(({ path }) => path)),
    );
    expect(paths).toEqual(await filesOf(damaged));
    expect(paths.filter((path) => !path.startsWith(`${tables.rowDirectory}/`))).toEqual([]);
    const found = await readdir(tables.rowDirectory, { recursive: true });
    expect(found.filter((path) => path.includes('flights_OFFLINE.json'))).toEqual([]);
  });

  test('a table server whose files are damaged gives no answer to a query whose files are damaged while it runs', async () => {
    await using damaged = await flightsWith();
    await load(damaged, 1);
    const [path = ''] = await filesOf(damaged);
    const sql = 'SELECT n FROM flights';
    await using execution = await damaged.queries.execute(
      { sql },
      { limits: { timeoutMs: 240_000 } },
    );
    await flip(path, 400);
    await expect(Array.fromAsync(execution.batches)).rejects.toThrow(
      'The table is damaged: flights_OFFLINE',
    );
  });

  test('a table server whose files are damaged finds by its scrub what queries cannot, names it, and serves on once the segment is deleted', async () => {
    await using damaged = await flightsWith();
    const { segmentNames } = await load(damaged, 1);
    await load(damaged, 2);
    const [path = ''] = (await filesOf(damaged)).filter((file) =>
      file.includes(segmentNames[0] ?? ''),
    );
    await flip(path, 400);
    // Simulates a disk that loses the bit later: inode, size and times are those of the verified
    // file.
    const shared = new VerificationHost();
    await shared.add([{ path, identity: identityOf(path) ?? '' }]);
    const tables = new DirectoryTables(damaged.directory, { shared });
    const relations = await tables.resolve(['flights']);
    await expect(tables.verify(relations)).resolves.toBeUndefined();
    // The first round of a scrub is at the start.
    await damaged.restart();
    const problems = async () =>
      (await damaged.engine.listSegments('flights_OFFLINE')).map(({ problem }) => problem);
    await expect
      .poll(async () => (await problems()).some((problem) => problem !== undefined))
      .toBe(true);
    expect(
      (await problems()).toSorted((left, right) =>
        left === undefined ? 1 : right === undefined ? -1 : 0,
      ),
    ).toEqual([
      expect.stringMatching(
        /^The file of this segment of flights_OFFLINE has the checksum \d+; expected \d+. Delete the segment, and load its rows again.$/,
      ),
      undefined,
    ]);
    await expect(tables.verify(relations)).rejects.toThrow(
      `The table is damaged: ${segmentNames[0]}.`,
    );
    await damaged.engine.deleteSegment('flights_OFFLINE', segmentNames[0] ?? '');
    expect(await damaged.rows('SELECT n FROM flights')).toEqual([{ n: 2n }]);
    expect(await problems()).toEqual([undefined]);
  });

  test('a table server whose files are damaged consumes the messages of a damaged consuming segment again once it is deleted', async () => {
    await using damaged = await TestServer.open();
    const { engine } = damaged;
    await using appending = await openOrders(damaged);
    const count = async () => damaged.value('SELECT CAST(count(*) AS INTEGER) FROM orders');
    const append = async (n: number): Promise<void> => {
      await appending.append([
        { key: null, value: Buffer.from(JSON.stringify({ name: 'a', n, ts: 1 })), partition: 0 },
      ]);
      await expect.poll(() => count()).toBe(n);
    };
    await append(1);
    const [segment] = await engine.listSegments('orders_REALTIME');
    await expect(
      engine.deleteSegment('orders_REALTIME', segment?.segmentName ?? ''),
    ).rejects.toThrow('is still consuming');
    await flip((await filesOf(damaged))[0] ?? '', 400);
    await expect(count()).rejects.toThrow(
      /^The table is damaged: orders__0__0__.* if it is consuming, its messages are consumed again/,
    );
    await engine.deleteSegment('orders_REALTIME', segment?.segmentName ?? '');
    await expect.poll(() => count()).toBe(1);
    await append(2);
    expect(await damaged.rows('SELECT n FROM orders ORDER BY n')).toEqual([{ n: 1n }, { n: 2n }]);
  });

  test('a table server whose files are damaged finds damage in a file that queries see before it has written its record to the end', async () => {
    const written = Promise.withResolvers<void>();
    const replace = Reflect.get(Records.prototype, 'replace');
    using _slow = vi.spyOn(Records.prototype, 'replace').mockImplementation(async function (
      this: Records,
      record,
      content,
    ) {
      await replace.call(this, record, content);
      if (record.kind === 'consuming' && (content as ConsumingRecord).chunks.length > 0) {
        await written.promise;
      }
    });
    await using damaged = await TestServer.open();
    const { engine } = damaged;
    // A failure must not wait for it either.
    using _release = { [Symbol.dispose]: written.resolve };
    await using appending = await openOrders(damaged);
    const count = async () => damaged.value('SELECT CAST(count(*) AS INTEGER) FROM orders');
    const value = Buffer.from(JSON.stringify({ name: 'a', n: 1, ts: 1 }));
    await appending.append([{ key: null, value, partition: 0 }]);
    await expect.poll(() => count()).toBe(1);
    await flip((await filesOf(damaged))[0] ?? '', 400);
    await expect(count()).rejects.toThrow(/^The table is damaged: orders__0__0__/);
    const [segment] = await engine.listSegments('orders_REALTIME');
    const deletion = engine.deleteSegment('orders_REALTIME', segment?.segmentName ?? '');
    written.resolve();
    await deletion;
    await expect.poll(() => count()).toBe(1);
  });
});
