import {
  errorStatuses,
  type Operation,
  restreamOperations,
  streamOperations,
  tableAdminOperations,
  taskOperations,
} from '@quire/api';
import { type ErrorCode, errorKinds, QuireError } from '@quire/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cannedEngine, cannedNames, cannedRestreams, failing } from '../testkit/canned-tables.ts';
import { TestController } from '../testkit/controller-server.ts';
import { expectAllSeen } from '../testkit/all-seen.ts';
import { DocumentSchemas } from '../testkit/document-schemas.ts';

const operations: readonly (readonly [string, Operation])[] = Object.entries({
  ...tableAdminOperations,
  ...streamOperations,
  ...taskOperations,
  ...restreamOperations,
});

interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Readonly<Record<string, { readonly schema: object }>>;
      }
    >
  >;
}

const queries: Readonly<Record<string, string>> = {
  startRestream: '?destTableNameWithType=orders2_REALTIME',
  ingestFromFile: '?tableNameWithType=orders_OFFLINE',
  ingestFromUri: '?tableNameWithType=orders_OFFLINE&sourceURIStr=file:///in/a.csv',
};
const bodies: Readonly<Record<string, object>> = {
  createTable: { tableName: 'orders', tableType: 'OFFLINE' },
  updateTable: { tableName: 'orders', tableType: 'REALTIME' },
  updateTableSchema: { schemaName: 'orders' },
  createSchema: { schemaName: 'orders' },
  updateSchema: { schemaName: 'orders' },
  createTableConfigs: {
    tableName: 'orders',
    schema: { schemaName: 'orders' },
    offline: { tableName: 'orders' },
  },
  updateTableConfigs: {
    tableName: 'orders',
    schema: {
      schemaName: 'orders',
      dateTimeFieldSpecs: [
        { name: 'at', dataType: 'LONG', format: '1:MILLISECONDS:EPOCH', granularity: '1:MINUTES' },
      ],
    },
    realtime: {
      tableName: 'orders',
      tableType: 'REALTIME',
      segmentsConfig: { timeColumnName: 'at' },
      ingestionConfig: {
        streamIngestionConfig: {
          streamConfigMaps: [{ streamType: 'file', 'stream.file.topic.name': 'orders' }],
        },
      },
    },
  },
  executeTask: { taskType: 'MergeRollupTask', tableName: 'orders_OFFLINE' },
  startRestream: {},
};

let controller: TestController;
/** A controller whose engine fails on request, and a controller without an engine. */
let failed: TestController;
let bare: TestController;
let failure = new QuireError('INTERNAL', 'As told.');
let documents: readonly Documented[];
let schemas: DocumentSchemas;
const seen = new Set<string>();

beforeAll(async () => {
  controller = await TestController.start([], {
    tables: { engine: cannedEngine, restreams: cannedRestreams },
  });
  const fails = (): QuireError => failure;
  failed = await TestController.start([], {
    tables: { engine: failing(cannedEngine, fails), restreams: failing(cannedRestreams, fails) },
  });
  bare = await TestController.start([]);
  const document = (await (await controller.call('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Documented>>;
  };
  documents = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  schemas = new DocumentSchemas(document);
});

afterAll(async () => {
  for (const each of [controller, failed, bare]) await each[Symbol.asyncDispose]();
});

function pathOf(operationId: string, path: string): string {
  const own = operationId.endsWith('TableConfigs')
    ? { ...cannedNames, tableName: 'orders' }
    : cannedNames;
  return (
    path.replaceAll(/:(\w+)/g, (_all, name: string) => own[name] ?? name) +
    (queries[operationId] ?? '')
  );
}

/** The call as it succeeds, or with the given changes. */
function call(
  from: TestController,
  [operationId, { method, path }]: readonly [string, Operation],
  changed: {
    readonly query?: string;
    readonly body?: string;
    readonly mediaType?: string;
    readonly as?: 'ann' | undefined;
  } = {},
): Promise<Response> {
  const { query = '', ...rest } = changed;
  const plain = pathOf(operationId, path);
  const whole = plain + (query === '' ? '' : `${plain.includes('?') ? '&' : '?'}${query}`);
  const body = bodies[operationId];
  const file = operationId === 'ingestFromFile' ? { body: 'id\n1\n', mediaType: 'text/csv' } : {};
  return from.call(whole, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...file,
    ...rest,
  });
}

async function expectDocumented(operationId: string, answer: Response): Promise<unknown> {
  const response = documents.find((each) => each.operationId === operationId)?.responses[
    answer.status
  ];
  const text = await answer.text();
  expect(response, `${operationId} does not document ${answer.status}: ${text}`).toBeDefined();
  seen.add(`${operationId} ${answer.status}`);
  const { schema = {} } = response?.content?.['application/json'] ?? {};
  const body: unknown = JSON.parse(text);
  expect(schemas.problemsOf(schema, body), `${operationId} ${answer.status} ${text}`).toBe('');
  return body;
}

test.each(operations)('%s succeeds as the document says', async (...operation) => {
  const answer = await call(controller, operation);
  expect([answer.status, await expectDocumented(operation[0], answer)]).toEqual([
    200,
    expect.anything(),
  ]);
});

test.each(operations)(
  '%s passes on every failure that it documents, and adds those of its own',
  async (...operation) => {
    const [operationId, { schema, method }] = operation;
    const codes = Object.values(schema.response).flatMap(({ description }) =>
      [...description.matchAll(/[A-Z_]{4,}/g)]
        .map(([code]) => code)
        .filter((code): code is ErrorCode => Object.hasOwn(errorKinds, code)),
    );
    for (const code of codes) {
      failure = new QuireError(code, 'As told.', {
        findings: [{ path: '/a', code: 'ODD', message: 'Odd.', severity: 'error' }],
      });
      const answer = await call(failed, operation);
      // Calls that use no engine have failures of their own only.
      expect([200, errorStatuses[code]]).toContain(answer.status);
      await expectDocumented(operationId, answer);
    }
    const isChange = method !== 'GET';
    await expectDocumented(operationId, await call(controller, operation, { as: undefined }));
    if (isChange) {
      await expectDocumented(operationId, await call(controller, operation, { as: 'ann' }));
    }
    await expectDocumented(operationId, await call(bare, operation));
  },
);

test.each(operations.filter(([, { schema }]) => schema.querystring !== undefined))(
  '%s refuses parameters that are given twice',
  async (...operation) => {
    const [operationId] = operation;
    const parameters =
      documents
        .find((each) => each.operationId === operationId)
        ?.parameters?.filter((each) => each.in === 'query') ?? [];
    expect(parameters.length).toBeGreaterThan(0);
    for (const { name } of parameters) {
      const answer = await call(controller, operation, { query: `${name}=x&${name}=y&${name}=z` });
      expect([name, answer.status]).toEqual([name, 400]);
      await expectDocumented(operationId, answer);
    }
  },
);

test.each(operations.filter(([, { schema }]) => schema.body !== undefined))(
  '%s refuses odd bodies',
  async (...operation) => {
    const [operationId] = operation;
    const odd = [
      { body: '[1]' },
      { body: '{' },
      { body: '' },
      { body: '{}', mediaType: 'text/plain' },
      { body: JSON.stringify({ a: 'x'.repeat(5000) }) },
    ];
    const statuses: number[] = [];
    for (const each of odd) {
      const answer = await call(controller, operation, each);
      statuses.push(answer.status);
      await expectDocumented(operationId, answer);
    }
    expect(statuses).toEqual([400, 400, operationId === 'startRestream' ? 200 : 400, 415, 413]);
  },
);

test('a file that is larger than it may be is refused', async () => {
  await using small = await TestController.start([], {
    tables: { engine: cannedEngine, restreams: cannedRestreams },
    uploadBytesMax: 3,
  });
  const operation = operations.find(([id]) => id === 'ingestFromFile')!;
  const answer = await call(small, operation);
  expect(answer.status).toBe(413);
  await expectDocumented('ingestFromFile', answer);
});

// The limits of callers answer 429, and have their own tests. The version is read from no engine
// that could fail.
const isElsewhere = (each: string): boolean =>
  each.endsWith(' 429') || /^readVersion 50[013]$/.test(each);

expectAllSeen(() =>
  operations
    .flatMap(([id, { schema }]) => Object.keys(schema.response).map((status) => `${id} ${status}`))
    .filter((each) => !seen.has(each) && !isElsewhere(each)),
);
