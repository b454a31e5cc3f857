import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonValue, QuireError } from '@quire/core';
import type { EmbeddedTableEngineOptions } from '@quire/table-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { flightsConfig, flightsSchema, jsonLines, TestServer } from './test-server.ts';

const startMs = Date.UTC(2026, 0, 1);

function flight(index: number): object {
  return {
    carrier: `C${index % 3}`,
    tags: index % 2 === 0 ? ['even', `t${index}`] : [],
    payload: { index },
    price: `${index}.${'5'.repeat((index % 3) + 1)}`,
    digest: 'cafe',
    late: index % 2 === 1,
    delay: index,
    distance: index * 1_000,
    speed: index / 4,
    ts: startMs + index,
    landed: '2026-01-01 00:00:00.125',
  };
}

async function ingest(server: TestServer, rows: readonly object[], name = 'rows.jsonl') {
  const source = { kind: 'bytes', name, body: jsonLines(rows) } as const;
  return server.engine.ingest({ tableNameWithType: 'flights_OFFLINE', source, batchConfig: {} });
}

async function openFlights(options: Partial<EmbeddedTableEngineOptions> = {}): Promise<TestServer> {
  const server = await TestServer.open(options);
  await server.engine.createSchema(flightsSchema);
  await server.engine.createTable(flightsConfig);
  return server;
}

describe('an offline table', () => {
  test('an offline table answers no rows, with its columns, before it has any', async () => {
    await using server = await openFlights();
    expect(await server.rows('SELECT * FROM flights')).toEqual([]);
    expect(
      (await server.rows('DESCRIBE flights')).map((row) => [
        row['column_name'],
        row['column_type'],
      ]),
    ).toEqual([
      ['carrier', 'VARCHAR'],
      ['tags', 'VARCHAR[]'],
      ['payload', 'JSON'],
      ['price', 'DECIMAL(1,0)'],
      ['digest', 'BLOB'],
      ['late', 'BOOLEAN'],
      ['delay', 'INTEGER'],
      ['distance', 'BIGINT'],
      ['speed', 'DOUBLE'],
      ['ts', 'BIGINT'],
      ['landed', 'TIMESTAMP'],
    ]);
  });

  test('an offline table answers the rows of each file at once, under its raw name and its name with type, and after a restart', async () => {
    await using server = await openFlights();
    const first = await ingest(
      server,
      Array.from({ length: 10 }, (_, index) => flight(index)),
    );
    expect(first).toMatchObject({
      rowCount: 10,
      segmentNames: [expect.stringMatching(/^flights_OFFLINE_\d+_[0-9a-f]{8}$/)],
    });
    await ingest(server, [flight(10)]);
    expect(await server.value('SELECT count(*) FROM flights')).toBe(11n);
    expect(await server.value('SELECT count(*) FROM "flights_OFFLINE"')).toBe(11n);
    expect(await server.engine.countRows('flights_OFFLINE')).toBe(11);
    await server.restart();
    expect(await server.value('SELECT CAST(sum(delay) AS BIGINT) FROM Flights')).toBe(55n);
    expect(await server.rows('SELECT name FROM (SHOW TABLES)')).toEqual([
      { name: 'flights' },
      { name: 'flights_OFFLINE' },
    ]);
  });

  test('an offline table keeps every type as the contract has it', async () => {
    await using server = await openFlights();
    await ingest(server, [flight(2)]);
    const casts =
      'carrier, CAST(tags AS VARCHAR) tags, payload, CAST(price AS VARCHAR) price, hex(digest) digest, late, delay, distance';
    expect(
      await server.rows(`SELECT ${casts}, speed, ts, CAST(landed AS VARCHAR) landed FROM flights`),
    ).toEqual([
      {
        carrier: 'C2',
        tags: '[even, t2]',
        payload: '{"index":2}',
        price: '2.555',
        digest: 'CAFE',
        late: false,
        delay: 2,
        distance: 2000n,
        speed: 0.5,
        ts: BigInt(startMs + 2),
        landed: '2026-01-01 00:00:00.125',
      },
    ]);
  });

  test('an offline table describes its segments with their times', async () => {
    await using server = await openFlights();
    await ingest(server, [flight(3), flight(7)]);
    const [segment, ...others] = await server.engine.listSegments('flights_OFFLINE');
    expect(others).toEqual([]);
    expect(segment).toMatchObject({
      state: 'COMMITTED',
      rowCount: 2,
      minTimeMs: startMs + 3,
      maxTimeMs: startMs + 7,
      stream: null,
    });
    await server.engine.deleteSegment('flights_OFFLINE', segment?.segmentName ?? '');
    expect(await server.value('SELECT count(*) FROM flights')).toBe(0n);
  });

  test('an offline table takes all rows of a file or none', async () => {
    await using server = await openFlights();
    const failed = ingest(server, [flight(1), { ...flight(2), delay: 'late' }], 'mixed.jsonl');
    await expect(failed).rejects.toMatchObject({ code: 'INGESTION_FAILED' });
    await expect(failed).rejects.toThrow('mixed.jsonl: Row 2, column delay');
    // Nanoseconds by mistake: once stored, they would fail all queries of the table.
    for (const [column, value] of [
      ['landed', 1_700_000_000_000_000_000],
      ['distance', 2 ** 63],
    ] as const) {
      const far = ingest(server, [{ ...flight(1), [column]: value }], 'far.jsonl');
      await expect(far).rejects.toMatchObject({ code: 'INGESTION_FAILED' });
      await expect(far).rejects.toThrow(`far.jsonl: Row 1, column ${column}`);
    }
    const nameless = server.engine.ingest({
      tableNameWithType: 'flights_OFFLINE',
      source: { kind: 'bytes', name: '', body: jsonLines([{ ...flight(2), delay: 'late' }]) },
      batchConfig: { inputFormat: 'json' },
    });
    await expect(nameless).rejects.toThrow(/^the file: Row 1, column delay/);
    const unreadable = server.engine.ingest({
      tableNameWithType: 'flights_OFFLINE',
      source: { kind: 'bytes', name: 'a.jsonl', body: jsonLines([flight(1), [7]]) },
      batchConfig: { inputFormat: 'json' },
    });
    const unknown = server.engine.ingest({
      tableNameWithType: 'flights_OFFLINE',
      source: { kind: 'bytes', name: 'a.csv', body: jsonLines([flight(1)]) },
      batchConfig: { delimiter: ';' },
    });
    await expect(unknown).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
      message:
        "batchConfig has an unknown member 'delimiter'; expected recordReader.prop.delimiter.",
    });
    // Previews skip the row; it would be wrong to say so here.
    await expect(unreadable).rejects.toThrow(/^Row 2 of a.jsonl is not an object.$/);
    expect(await server.engine.listSegments('flights_OFFLINE')).toEqual([]);
    expect(await server.value('SELECT count(*) FROM flights')).toBe(0n);
  });

  test('an offline table refuses a file none of whose fields it reads, and takes null values', async () => {
    await using server = await openFlights();
    const strange = ingest(server, [{}, { Carrier: 'C1', gate: 7 }], 'strange.jsonl');
    await expect(strange).rejects.toMatchObject({ code: 'INGESTION_FAILED' });
    await expect(strange).rejects.toThrow(
      "strange.jsonl: None of the fields is a column of the table: a row has 'Carrier', 'gate'; the table has 'carrier', 'tags',",
    );
    expect(await server.engine.listSegments('flights_OFFLINE')).toEqual([]);
    // Fields that are read, by a column or its transform, may be null or missing in all rows.
    expect(await ingest(server, [{ gate: 7 }, { carrier: null }])).toMatchObject({ rowCount: 2 });
    expect(await ingest(server, [{}])).toMatchObject({ rowCount: 1 });
    const transform = (transformFunction: string) => ({
      ingestionConfig: { transformConfigs: [{ columnName: 'carrier', transformFunction }] },
    });
    await server.engine.updateTable({ ...flightsConfig, ...transform('lower(airline)') });
    expect(await ingest(server, [{ airline: null }])).toMatchObject({ rowCount: 1 });
    await server.engine.updateTable({ ...flightsConfig, ...transform("'C9'") });
    expect(await ingest(server, [{ gate: 7 }])).toMatchObject({ rowCount: 1 });
    // Fields that only a filter reads count; with complex types, any field may.
    for (const ingestionConfig of [
      { filterConfig: { filterFunction: 'gate < 7' } },
      { complexTypeConfig: { fieldsToUnnest: ['legs'] } },
    ]) {
      await server.engine.updateTable({ ...flightsConfig, ingestionConfig });
      expect(await ingest(server, [{ gate: 7 }])).toMatchObject({ rowCount: 1 });
    }
  });

  test('an offline table stores uploads where it is told to, leaves nothing there, and says when it cannot', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'quire-uploads-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const uploadDirectory = join(directory, 'deep/uploads');
    {
      await using server = await openFlights({ uploadDirectory });
      await ingest(server, [flight(0)]);
    }
    expect(await readdir(uploadDirectory)).toEqual([]);
    await rm(uploadDirectory, { recursive: true });
    await writeFile(uploadDirectory, 'a file');
    await using server = await openFlights({ uploadDirectory });
    await expect(ingest(server, [flight(0)])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message:
        'The upload cannot be stored: the directory for temporary files cannot be written (EEXIST).',
      adminHint: `It is ${uploadDirectory}.`,
      isForCallers: true,
    });
    expect(await server.rows('SELECT * FROM flights')).toEqual([]);
  });

  test('an offline table shows the default, or null, in a column that came later', async () => {
    await using server = await openFlights();
    await ingest(server, [flight(1)]);
    const dimensions = flightsSchema['dimensionFieldSpecs'] as readonly JsonValue[];
    const wider = {
      ...flightsSchema,
      dimensionFieldSpecs: [...dimensions, { name: 'gate', dataType: 'STRING' }],
    };
    await server.engine.updateSchema(wider);
    await ingest(server, [{ ...flight(2), gate: 'B2' }]);
    expect(await server.rows('SELECT gate FROM flights ORDER BY delay')).toEqual([
      { gate: 'null' },
      { gate: 'B2' },
    ]);
    await server.engine.updateTable({
      ...flightsConfig,
      tableIndexConfig: { nullHandlingEnabled: true },
    });
    expect(await server.rows('SELECT gate FROM flights ORDER BY delay')).toEqual([
      { gate: null },
      { gate: 'B2' },
    ]);
    const narrower = server.engine.updateSchema(flightsSchema);
    await expect(narrower).rejects.toMatchObject({
      code: 'TABLE_INVALID',
      findings: [{ code: 'SCHEMA_LOSES_DATA' }],
    });
  });

  test('an offline table is gone for queries once it is deleted, and new under the same name', async () => {
    await using server = await openFlights();
    await ingest(server, [flight(1)]);
    await server.engine.deleteTable('flights_OFFLINE');
    await expect(server.rows('SELECT * FROM flights')).rejects.toMatchObject({
      code: 'TABLE_NOT_FOUND',
    });
    await server.engine.createTable(flightsConfig);
    expect(await server.value('SELECT count(*) FROM flights')).toBe(0n);
  });

  test('an offline table names what has no effect once, and refuses what it cannot do', async () => {
    await using server = await openFlights();
    const { findings } = await server.engine.readTable('flights_OFFLINE');
    expect(findings.filter(({ code }) => code === 'NO_EFFECT')).toEqual([
      expect.objectContaining({
        severity: 'info',
        message: expect.stringContaining('/segmentsConfig/replication'),
      }),
    ]);
    await server.engine.createSchema({ ...flightsSchema, schemaName: 'other' });
    const aggregated = {
      ...flightsConfig,
      tableName: 'other',
      ingestionConfig: {
        aggregationConfigs: [{ columnName: 'delay', aggregationFunction: 'SUM(delay)' }],
      },
    };
    await expect(server.engine.createTable(aggregated)).rejects.toSatisfy(
      (error) =>
        error instanceof QuireError &&
        error.findings?.some(({ code }) => code === 'UNSUPPORTED') === true,
    );
    const scheduled = {
      ...flightsConfig,
      tableName: 'other',
      task: { taskTypeConfigsMap: { MergeRollupTask: { schedule: '0 0 12 L-3W * ?' } } },
    };
    await expect(server.engine.createTable(scheduled)).rejects.toMatchObject({
      findings: expect.arrayContaining([
        {
          path: '/task/taskTypeConfigsMap/MergeRollupTask/schedule',
          code: 'UNSUPPORTED',
          severity: 'error',
          message: expect.stringContaining('‘L-3W’ is not supported.'),
        },
      ]),
    });
    expect(await server.engine.listTables()).toHaveLength(1);
  });

  test('an offline table has a name that no query can take for another', async () => {
    await using server = await openFlights();
    for (const schemaName of ['Flights', 'flights_OFFLINE']) {
      await server.engine.createSchema({ ...flightsSchema, schemaName });
    }
    await expect(
      server.engine.createTable({ ...flightsConfig, tableName: 'Flights' }),
    ).rejects.toMatchObject({
      code: 'TABLE_EXISTS',
    });
    const stream = { streamType: 'file', 'stream.file.topic.name': 'flights' };
    const ingestionConfig = { streamIngestionConfig: { streamConfigMaps: [stream] } };
    const other = server.engine.createTable({
      ...flightsConfig,
      tableName: 'Flights',
      tableType: 'REALTIME',
      ingestionConfig,
    });
    await expect(other).rejects.toMatchObject({ code: 'TABLE_EXISTS' });
    const half = server.engine.createTable({
      ...flightsConfig,
      tableName: 'flights_OFFLINE_OFFLINE',
    });
    await expect(half).rejects.toMatchObject({ code: 'TABLE_INVALID' });
  });
});
