import type { QuireError } from '@quire/core';
import { RecordBatchReader, tableFromIPC, type Table } from 'apache-arrow';
import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createFlightSqlProducer,
  type FlightCall,
  type FlightSqlProducer,
  handleOfTicket,
  messageOfData,
  type OutgoingData,
  readOnlySqlInfo,
  statementTicket,
} from '../src/index.ts';
import { matchesLike } from '../src/sql/like-pattern.ts';
import { metadataSchemas, tablesWithSchema } from '../src/sql/metadata-schemas.ts';
import { type FlightDescriptor, schemaResultCodec } from '../src/wire/flight-messages.ts';
import { bytes, message, text } from '../src/wire/protobuf.ts';
import {
  type CommandName,
  type CommandOf,
  packActionBody,
  packCommand,
} from '../src/wire/sql-messages.ts';

const call: FlightCall<string> = {
  context: 'ann',
  headers: {},
  signal: new AbortController().signal,
  timeoutMs: Infinity,
  setHeader: () => undefined,
};

const tables = [
  { catalog: 'quire', dbSchema: 'main', name: 'flights', type: 'TABLE' },
  { catalog: 'quire', dbSchema: 'main', name: 'stocks', type: 'TABLE' },
  { catalog: null, dbSchema: null, name: 'odd_one', type: 'VIEW' },
];

const description = {
  name: 'Quire',
  version: '1',
  arrowVersion: '21',
  keywords: ['SELECT', 'FROM'],
  functions: { numeric: ['abs'], text: [], system: [], datetime: ['now'] },
  extraNameCharacters: '',
  statementBytesMax: 1000,
};

const sql: FlightSqlProducer<string> = {
  runStatement: async ({ query }) => ({ appMetadata: new TextEncoder().encode(query) }),
  describeStatement: async () => Uint8Array.of(1),
  async *readTicket(handle) {
    yield { dataHeader: handle };
  },
  catalogs: async () => ['quire'],
  dbSchemas: async () => [{ catalog: 'quire', dbSchema: 'main' }],
  tableTypes: async () => ['TABLE'],
  tables: async () => tables,
  tableSchema: async ({ name }) => (name === 'stocks' ? undefined : Uint8Array.of(7)),
  typeInfo: () => [
    { name: 'INTEGER', dataType: 4, columnSize: 10, literalQuote: null, isUnsigned: false },
    { name: 'VARCHAR', dataType: 12, columnSize: null, literalQuote: "'", isUnsigned: null },
  ],
  sqlInfo: () => readOnlySqlInfo(description),
};

const producer = createFlightSqlProducer(sql);

const command = (packed: Uint8Array): FlightDescriptor => ({ type: 2, command: packed, path: [] });

async function collect(data: AsyncIterable<OutgoingData> | undefined): Promise<OutgoingData[]> {
  const all: OutgoingData[] = [];
  for await (const each of data ?? []) all.push(each);
  return all;
}

/** The rows of a metadata command, and the schema that its FlightInfo promises. */
async function read<Name extends CommandName>(
  name: Name,
  value: Partial<CommandOf<Name>>,
): Promise<Table> {
  const packed = packCommand(name, value);
  const info = await producer.getFlightInfo?.(command(packed), call);
  const ticket = info?.endpoints?.[0]?.ticket?.ticket ?? new Uint8Array(0);
  const data = await collect(producer.doGet?.({ ticket }, call));
  const table = tableFromIPC(data.map((each) => messageOfData({ ...empty, ...each })));
  const promised = RecordBatchReader.from(info?.schema ?? new Uint8Array(0)).open().schema;
  expect(String(promised)).toBe(String(table.schema));
  return table;
}

const empty = {
  dataHeader: new Uint8Array(0),
  dataBody: new Uint8Array(0),
  appMetadata: new Uint8Array(0),
};

const rowsOf = (table: Table): unknown[] => table.toArray().map((row) => ({ ...row.toJSON() }));

describe('metadata', () => {
  test('metadata of catalogs, schemas and table types is what the producer has', async () => {
    expect(rowsOf(await read('CommandGetCatalogs', {}))).toEqual([{ catalog_name: 'quire' }]);
    expect(rowsOf(await read('CommandGetDbSchemas', {}))).toEqual([
      { catalog_name: 'quire', db_schema_name: 'main' },
    ]);
    expect(rowsOf(await read('CommandGetDbSchemas', { dbSchemaPattern: 'x%' }))).toEqual([]);
    expect(rowsOf(await read('CommandGetTableTypes', {}))).toEqual([{ table_type: 'TABLE' }]);
  });

  test.each([
    ['all of them', {}, ['flights', 'stocks', 'odd_one']],
    ['by their names', { tablePattern: '%s' }, ['flights', 'stocks']],
    ['by an escaped pattern', { tablePattern: 'odd\\_%' }, ['odd_one']],
    ['by their catalog', { catalog: 'quire' }, ['flights', 'stocks']],
    ['without a catalog', { catalog: '' }, ['odd_one']],
    ['by their schema', { dbSchemaPattern: 'm_in' }, ['flights', 'stocks']],
    ['by their type', { tableTypes: ['VIEW', 'X'] }, ['odd_one']],
  ])('metadata of tables shows %s', async (_what, filter, names) => {
    const table = await read('CommandGetTables', filter);
    expect(String(table.schema)).toBe(String(metadataSchemas.CommandGetTables));
    expect(table.getChild('table_name')?.toJSON()).toEqual(names);
  });

  test('metadata of tables has their schemas when asked, but for those that are gone by then', async () => {
    const table = await read('CommandGetTables', { includeSchema: true });
    expect(String(table.schema)).toBe(String(tablesWithSchema));
    expect(table.getChild('table_name')?.toJSON()).toEqual(['flights', 'odd_one']);
    expect(table.getChild('table_schema')?.get(0)).toEqual(Uint8Array.of(7));
  });

  test('metadata of keys is empty, with its columns', async () => {
    for (const name of ['CommandGetPrimaryKeys', 'CommandGetExportedKeys'] as const) {
      const table = await read(name, { table: 'flights' });
      expect([table.numRows, table.numCols]).toEqual([0, metadataSchemas[name].fields.length]);
    }
    expect((await read('CommandGetCrossReference', { pkTable: 'a' })).numCols).toBe(13);
  });

  test('metadata of types is all of them, or the one that is asked for', async () => {
    const all = await read('CommandGetXdbcTypeInfo', {});
    expect(all.getChild('type_name')?.toJSON()).toEqual(['INTEGER', 'VARCHAR']);
    const one = await read('CommandGetXdbcTypeInfo', { dataType: 12 });
    expect(one.getChild('literal_prefix')?.toJSON()).toEqual(["'"]);
  });

  test('metadata of the server has every number of the specification, each with its kind', async () => {
    const data = await collect(
      producer.doGet?.({ ticket: packCommand('CommandGetSqlInfo', {}) }, call),
    );
    const table = tableFromIPC(data.map((each) => messageOfData({ ...empty, ...each })));
    const numbers = table.getChild('info_name')?.toArray() as Uint32Array;
    const range = (first: number, last: number): number[] =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index);
    expect([...numbers]).toEqual([...range(0, 11), 100, 101, ...range(500, 576)]);
    const values = table.getChild('value');
    const valueOf = (number: number): unknown => values?.get(numbers.indexOf(number));
    expect(valueOf(0)).toBe('Quire');
    expect(valueOf(3)).toBe(true);
    expect(valueOf(557)).toBe(1000n);
    expect(valueOf(522)).toBe(3);
    expect([...(valueOf(508) as Iterable<string>)]).toEqual(['SELECT', 'FROM']);
  });

  test('metadata of the server has only what is asked for', async () => {
    const table = await read('CommandGetSqlInfo', { info: [8, 0, 999] });
    expect(table.getChild('info_name')?.toJSON()).toEqual([0, 8]);
  });
});

describe('a pattern of LIKE', () => {
  test('a pattern of LIKE matches what a regular expression of the same meaning matches', () => {
    const letters = constantFrom('a', 'b', '%', '_', '\\', 'é');
    const texts = array(constantFrom('a', 'b', '%', '_', 'é'), { maxLength: 8 });
    assert(
      property(array(letters, { maxLength: 6 }), texts, (pattern, given) => {
        let source = '';
        for (let at = 0; at < pattern.length; at += 1) {
          const letter =
            pattern[at] === '\\' && at + 1 < pattern.length ? pattern[++at] : undefined;
          const plain = letter ?? pattern[at] ?? '';
          const isWild = letter === undefined && (plain === '%' || plain === '_');
          source += isWild ? (plain === '%' ? '.*' : '.') : plain.replace('\\', '\\\\');
        }
        const expected = new RegExp(`^${source}$`, 'u').test(given.join(''));
        expect(matchesLike(pattern.join(''), given.join(''))).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test('a pattern of LIKE with many wildcards does not take long', () => {
    expect(matchesLike(`${'%a'.repeat(2000)}b`, 'a'.repeat(4000))).toBe(false);
  });
});

describe('commands', () => {
  const codeOf = async (work: Promise<unknown> | undefined): Promise<string> =>
    (await work?.then(
      () => 'OK',
      (error: unknown) => (error as QuireError).code,
    )) ?? 'OK';

  test('commands of statements reach the producer', async () => {
    const packed = command(packCommand('CommandStatementQuery', { query: 'SELECT 1' }));
    const info = await producer.getFlightInfo?.(packed, call);
    expect(String(Buffer.from(info?.appMetadata ?? []))).toBe('SELECT 1');
    expect(info?.descriptor).toEqual(packed);
    expect(await producer.getSchema?.(packed, call)).toEqual(Uint8Array.of(1));
    const handle = Uint8Array.of(4, 2);
    const ticket = statementTicket(handle);
    expect(await collect(producer.doGet?.({ ticket }, call))).toEqual([{ dataHeader: handle }]);
    expect(handleOfTicket(ticket)).toEqual(handle);
  });

  test('commands that need polling nowhere are answered whole with the first poll', async () => {
    const packed = command(packCommand('CommandGetCatalogs', {}));
    const poll = await producer.pollFlightInfo?.(packed, call);
    expect(poll?.progress).toBe(1);
    expect(poll?.descriptor).toBeUndefined();
    expect(poll?.info?.endpoints).toHaveLength(1);
  });

  test('commands that the server does not take say so', async () => {
    const any = message({ typeUrl: text(1), value: bytes(2) });
    const foreign = any.encode({ typeUrl: 'type.googleapis.com/other.Thing' });
    const info = (packed: Uint8Array): Promise<string> =>
      codeOf(producer.getFlightInfo?.(command(packed), call));
    expect(await info(foreign)).toBe('UNSUPPORTED');
    expect(await info(new Uint8Array(0))).toBe('INVALID_BODY');
    expect(await info(Uint8Array.of(255))).toBe('INVALID_BODY');
    expect(await info(packCommand('CommandStatementSubstraitPlan', {}))).toBe('UNSUPPORTED');
    expect(await info(packCommand('TicketStatementQuery', {}))).toBe('INVALID_PARAMETER');
    expect(await codeOf(collect(producer.doGet?.({ ticket: foreign }, call)))).toBe('UNSUPPORTED');
    const path = { type: 1, command: new Uint8Array(0), path: ['x'] };
    expect(await codeOf(producer.getFlightInfo?.(path, call))).toBe('UNSUPPORTED');
  });

  test('commands that change something are refused as read-only', async () => {
    const put = async (name: 'CommandStatementUpdate' | 'CommandStatementIngest') => {
      const descriptor = command(packCommand(name, {}));
      async function* data() {
        yield { ...empty, descriptor };
      }
      return codeOf(collect(producer.doPut?.(data(), call) as never));
    };
    expect(await put('CommandStatementUpdate')).toBe('UNSUPPORTED');
    expect(await put('CommandStatementIngest')).toBe('UNSUPPORTED');
  });
});

describe('actions', () => {
  test('actions are those that the producer has', () => {
    const withActions = createFlightSqlProducer({
      ...sql,
      prepare: async () => ({ handle: Uint8Array.of(1) }),
      cancel: async () => 1,
    });
    const names = (each: typeof producer) => each.listActions?.(call).map(({ type }) => type);
    expect(names(producer)).toEqual([]);
    expect(names(withActions)).toEqual([
      'CreatePreparedStatement',
      'CancelFlightInfo',
      'CancelQuery',
    ]);
  });

  test.each(['BeginTransaction', 'toString', ''])(
    'actions of the name %j are refused',
    async (type) => {
      const action = { type, body: new Uint8Array(0) };
      await expect(collect(producer.doAction?.(action, call) as never)).rejects.toThrow(
        `There is no action ${JSON.stringify(type)}`,
      );
    },
  );

  test('prepare a statement with both schemas', async () => {
    const prepared = { handle: Uint8Array.of(1), parameterSchema: Uint8Array.of(2) };
    const withPrepare = createFlightSqlProducer({ ...sql, prepare: async () => prepared });
    const body = packActionBody('ActionCreatePreparedStatementRequest', { query: 'SELECT ?' });
    const results: Uint8Array[] = [];
    const action = { type: 'CreatePreparedStatement', body };
    for await (const each of withPrepare.doAction?.(action, call) ?? []) results.push(each);
    expect(results).toEqual([
      packActionBody('ActionCreatePreparedStatementResult', {
        ...prepared,
        datasetSchema: new Uint8Array(0),
      }),
    ]);
    expect(schemaResultCodec.encode({ schema: Uint8Array.of(1) })).toEqual(Uint8Array.of(10, 1, 1));
  });
});
