import {
  Dictionary,
  Field,
  Int32,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  tableFromIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import type { QueryEngine } from '@quire/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';
import {
  batchesOf,
  allKinds,
  longTable,
  type ModelTable,
  schemaOf,
} from '../../../test/src/testkit/builders/model-table.ts';
import {
  firstTicket,
  FlightTestClient,
  pathOf,
  requestIdOf,
} from '../../../test/src/testkit/flight-test-client.ts';

interface Answer {
  readonly schema: Schema;
  readonly batches: () => AsyncIterable<RecordBatch>;
}

async function* each(...batches: readonly RecordBatch[]): AsyncGenerator<RecordBatch> {
  yield* batches;
}

function batchOf(schema: Schema, children: readonly unknown[], length: number): RecordBatch {
  const data = makeData({
    type: new Struct(schema.fields),
    length,
    nullCount: 0,
    children: children as never,
  });
  return new RecordBatch(schema, data);
}

function modelAnswer(table: ModelTable): Answer {
  return { schema: schemaOf(table), batches: () => batchesOf(table) };
}

const rowCount = 60;
const text = new Dictionary(new Utf8(), new Int32());
const words = (...values: readonly (string | null)[]) =>
  vectorFromArray(values as string[], text).data[0];
const dictionarySchema = new Schema([new Field('word', text, true)]);
const nothing = new Struct([]);
const emptyStructs = new Schema([new Field('nothing', nothing, true)]);
const noColumns = new Schema([]);
const ids = new List(new Field('item', text, true));
const nested = new List(new Field('item', new Struct([new Field('ids', ids, true)]), true));
const nestedSchema = new Schema([new Field('groups', nested, true)]);

/** The answer to each statement, by its SQL. */
const answers: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(
    allKinds.map((kind, index) => [
      `${kind.columnDataType}, kind ${index}`,
      modelAnswer(longTable(kind, rowCount, index)),
    ]),
  ),
  'every type, and no rows': modelAnswer({ kinds: allKinds, rows: [], batchRowCounts: [] }),
  'every type, and batches without rows': modelAnswer({
    kinds: allKinds,
    rows: [],
    batchRowCounts: [0, 0],
  }),
  'dictionaries that grow': {
    schema: dictionarySchema,
    batches: () =>
      each(
        batchOf(dictionarySchema, [words('a', null, 'b', 'a')], 4),
        batchOf(dictionarySchema, [words('c', 'a', 'ünï ❤')], 3),
      ),
  },
  'dictionaries in lists in structs in lists': {
    schema: nestedSchema,
    batches: () =>
      each(
        batchOf(
          nestedSchema,
          [vectorFromArray([[{ ids: ['a', 'b'] }, null], null, [], [{ ids: [] }]], nested).data[0]],
          4,
        ),
      ),
  },
  'structs without fields': {
    schema: emptyStructs,
    batches: () =>
      each(batchOf(emptyStructs, [makeData({ type: nothing, length: 3, nullCount: 0 })], 3)),
  },
  'no columns, and rows': {
    schema: noColumns,
    batches: () => each(batchOf(noColumns, [], 5), batchOf(noColumns, [], 2)),
  },
  'no columns, and no rows': { schema: noColumns, batches: () => each() },
};

const engine: QueryEngine = {
  execute: async ({ sql }) => {
    const answer = answers[sql];
    if (answer === undefined) throw new Error(`There is no ${sql}.`);
    return {
      schema: answer.schema,
      batches: answer.batches(),
      statistics: () => ({
        elapsedMs: 1,
        cpuTimeNs: null,
        rowsScanned: null,
        rowsTotal: null,
        tables: [],
      }),
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
  [Symbol.asyncDispose]: async () => undefined,
};

/** A small value sends each row by itself; the large one exceeds any batch. */
describe.each([
  { messageBytesMax: 1, compression: 'none' },
  { messageBytesMax: 4 * 1024 * 1024, compression: 'zstd' },
] as const)('$compression batches in messages of $messageBytesMax bytes', (given) => {
  let broker: TestBroker;
  let client: FlightTestClient;

  beforeAll(async () => {
    const { compression, messageBytesMax } = given;
    const flight = { port: 0, expirationMs: 600_000, messageBytesMax };
    broker = await TestBroker.start({ flight, engine }, { compression });
    const url = broker.address.endpointUrls?.[0] ?? '';
    client = new FlightTestClient(url, { authorization: 'Bearer ann-token' });
  });

  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await broker[Symbol.asyncDispose]();
  });

  test.each(Object.keys(answers))('a result is the same by Flight and by HTTP: %s', async (sql) => {
    const info = await client.run(sql);
    const { table: flight } = await client.read(firstTicket(info));
    const requestId = requestIdOf(info);
    const { bytes } = await broker.call(
      `/query/${requestId}/results?offset=0&numRows=1000&format=arrow`,
    );
    const http = tableFromIPC(bytes);
    expect(flight.numRows).toBe(http.numRows);
    expect(BigInt(flight.numRows)).toBe(info.totalRecords);
    expect(flight.schema).toEqual(http.schema);
    expect(tableFromIPC([info.schema]).schema).toEqual(http.schema);
    expect(flight.toString()).toBe(http.toString());
    // The same result, found by its id and not by its statement.
    expect((await client.info(pathOf(requestId))).schema).toEqual(info.schema);
  });
});

test('the answers have rows, columns and neither', () => {
  const counts = Object.values(answers).map(({ schema }) => schema.fields.length);
  expect(new Set(counts)).toEqual(new Set([0, 1, allKinds.length]));
});
