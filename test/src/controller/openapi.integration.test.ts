import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  controllerOperations,
  discoveryOperations,
  restreamOperations,
  streamOperations,
  tableAdminOperations,
  taskOperations,
} from '@quire/api';
import type { RunPreview } from '@quire/controller';
import { QuireError } from '@quire/core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { TestBroker } from '../testkit/broker-server.ts';
import { generatorTrapsIn } from '../testkit/generator-traps.ts';
import { TestController } from '../testkit/controller-server.ts';
import { expectAllSeen } from '../testkit/all-seen.ts';
import { DocumentSchemas } from '../testkit/document-schemas.ts';

interface DocumentedOperation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<Record<string, { readonly schema: object }>>;
        readonly headers?: object;
      }
    >
  >;
}

interface ApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

let broker: TestBroker;
let silent: FaultProxy;
let controller: TestController;
let document: ApiDocument;
let schemas: DocumentSchemas;

/** Runs previews instead of the controller. */
let runPreview: RunPreview | undefined;

/** Every `operation status` whose response the document describes and a test has seen. */
const seen = new Set<string>();

beforeAll(async () => {
  broker = await TestBroker.start({ listTables: async () => ['numbers'] });
  await broker.stored(3);
  silent = await FaultProxy.start(broker.address.port);
  silent.intercept = () => ({ kind: 'reset' });
  controller = await TestController.start([broker.address.url, silent.endpoint], {
    preview: {
      bodyBytesMax: 4096,
      limits: {},
      concurrencyMax: 4,
      get run() {
        return runPreview;
      },
    },
  });
  document = (await (await controller.call('/openapi.json')).json()) as ApiDocument;
  schemas = new DocumentSchemas(document);
});

afterAll(async () => {
  for (const each of [controller, silent, broker]) await each[Symbol.asyncDispose]();
});

async function expectDocumented(operationId: string, answer: Response): Promise<void> {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const response = operations.find((operation) => operation.operationId === operationId)?.responses[
    answer.status
  ];
  expect(response, `${operationId} does not document ${answer.status}`).toBeDefined();
  seen.add(`${operationId} ${answer.status}`);
  const sent = [...answer.headers.keys()].filter((name) =>
    /^x-request-id$|^retry-after$|^www-authenticate$/.test(name),
  );
  expect(sent.filter((name) => !Object.hasOwn(response?.headers ?? {}, name))).toEqual([]);
  const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const { schema } = response?.content?.[mediaType] ?? {};
  expect(schema, `${operationId} ${answer.status} does not document ${mediaType}`).toBeDefined();
  const body: unknown =
    mediaType === 'application/json' ? await answer.json() : await answer.text();
  expect(schemas.problemsOf(schema ?? {}, body), `${operationId} ${answer.status}`).toBe('');
}

/** The operations that `controller-tables-openapi.test.ts` covers. */
const tableCalls = Object.entries({
  ...tableAdminOperations,
  ...streamOperations,
  ...taskOperations,
  ...restreamOperations,
});
const ofTables = new Set<string>(tableCalls.map(([operationId]) => operationId));
const operations = Object.entries(controllerOperations).filter(
  ([operationId]) => !ofTables.has(operationId),
);

const previewBody = {
  tableConfig: { tableName: 't', ingestionConfig: { filterConfig: { filterFunction: 'a = 2' } } },
  schema: {
    schemaName: 't',
    dimensionFieldSpecs: [
      { name: 'a', dataType: 'INT' },
      { name: 'b', maxLength: 1 },
    ],
    dateTimeFieldSpecs: [
      { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'DAYS|1' },
    ],
  },
  sourceRows: [
    { fieldToValueMap: { a: 1, b: 'long', ts: 1_700_000_000_000 } },
    { fieldToValueMap: { a: 2, b: 'x', c: [1] } },
    { fieldToValueMap: { a: 'x', b: 'x' } },
    { nullValueFields: ['b'], fieldToValueMap: { a: '3', b: 'x' } },
    null,
  ],
  surprise: 1,
};

test('the document is valid OpenAPI 3.1', async () => {
  expect(document.openapi).toBe('3.1.0');
  expect(
    await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>),
  ).toEqual({
    valid: true,
  });
});

test('nothing in it is known to break generators of clients', () => {
  expect(generatorTrapsIn(document)).toEqual([]);
});

test('it has the calls of the API, and no other', () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
  );
  expect(documented.toSorted()).toEqual(
    [...operations, ...tableCalls]
      .map(
        ([name, { method, path }]) =>
          `${name} ${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
      )
      .toSorted(),
  );
});

const setting = {
  key: 'engine.bind.host',
  value: '127.0.0.1',
  source: 'default',
  isDefault: true,
  isLive: false,
};

test('every call answers as the document says', async () => {
  for (const [operationId, { method, path }] of operations) {
    await expectDocumented(operationId, await controller.call(path, { method }));
  }
  await expectDocumented('readTableSchema', await controller.call('/tables/numbers/schema'));
  await using whole = await TestController.start([broker.address.url]);
  await expectDocumented('readTableSchema', await whole.call('/tables/letters/schema'));
  await using configured = await TestController.start([], {
    settingsInForce: () => ({ settings: [setting], problems: [] }),
  });
  await expectDocumented('readSettings', await configured.call('/cluster/settings'));
  for (const url of [broker.address.url, 'http://elsewhere.example']) {
    await expectDocumented(
      'readSettings',
      await whole.call(`/cluster/settings?broker=${encodeURIComponent(url)}`),
    );
  }
  for (const operationId of [
    'listClusterResults',
    'deleteExpiredClusterResults',
    'readClusterHealth',
    'readClusterSweep',
    'readSettings',
  ] as const) {
    const { method, path } = controllerOperations[operationId];
    await expectDocumented(operationId, await controller.call(path, { method, as: 'ann' }));
  }
  await expectDocumented(
    'deleteExpiredClusterResults',
    await controller.call('/cluster/results?expiredBefore=x', { method: 'DELETE' }),
  );
});

test('so it does about tables and tenants that are there or not, and of odd states and types', async () => {
  await using whole = await TestController.start([broker.address.url]);
  const fill = (path: string, table: string) =>
    path.replace(':tableName', table).replace(':tenantName', 'DefaultTenant');
  for (const [operationId, { path, schema }] of Object.entries(discoveryOperations)) {
    await expectDocumented(operationId, await whole.call(fill(path, 'numbers')));
    if (path.includes(':tableName')) {
      await expectDocumented(operationId, await whole.call(fill(path, 'letters')));
    }
    if (schema.querystring === undefined) continue;
    await expectDocumented(
      operationId,
      await whole.call(`${fill(path, 'numbers')}?state=odd&type=odd&tables=`),
    );
  }
});

test('a preview that runs elsewhere answers with what it gives there, or why it was ended', async () => {
  const body = '{"sourceRows":[{"fieldToValueMap":{"a":12345678901234567890}}]}';
  const { promise: called, resolve } = Promise.withResolvers<unknown>();
  runPreview = async (call) => {
    resolve(call);
    throw new QuireError('QUERY_LIMIT_EXCEEDED', 'The preview took more memory than it may.');
  };
  try {
    const answer = await controller.call('/tables/preview', { method: 'POST', body, as: 'ann' });
    expect(answer.status).toBe(422);
    await expectDocumented('previewTable', answer);
    expect(await called).toEqual({ body, mayReadSources: false });
    const batchConfig = { 'recordReader.prop.delimiter': ';' };
    const query = `batchConfigMapStr=${encodeURIComponent(JSON.stringify(batchConfig))}`;
    const calls: unknown[] = [];
    const refuse = runPreview;
    runPreview = (call, options) => {
      calls.push(call);
      return refuse(call, options);
    };
    const ofFile = await controller.call(`/tables/previewFile?${query}`, { method: 'POST', body });
    expect(ofFile.status).toBe(422);
    expect(calls).toMatchObject([{ batchConfig }]);
    await expectDocumented('previewFile', ofFile);
    runPreview = () => {
      throw new QuireError('STORE_FULL', 'The upload cannot be stored.');
    };
    const full = await controller.call('/tables/previewFile', { method: 'POST', body });
    expect(full.status).toBe(507);
    await expectDocumented('previewFile', full);
    runPreview = async () => Buffer.from('{"rows":[]}');
    expect(await (await controller.call('/tables/preview', { method: 'POST', body })).text()).toBe(
      '{"rows":[]}',
    );
  } finally {
    runPreview = undefined;
  }
});

test('a file that is sent is sampled without a copy in memory, under the name that its caller gave it, and leaves nothing', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'quire-previews-'));
  await using own = await TestController.start([broker.address.url], {
    preview: { bodyBytesMax: 4096, limits: {}, concurrencyMax: 4, uploadDirectory: directory },
  });
  const send = (query: string, body: string, as?: 'ann'): Promise<Response> =>
    own.call(`/tables/previewFile${query}`, {
      method: 'POST',
      body,
      ...(as !== undefined && { as }),
      mediaType: 'application/octet-stream',
    });
  const rows = Array.from({ length: 500 }, (_none, id) => `{"id":${id},"name":"row ${id}"}`);
  const answer = await send('?name=people.jsonl&numRows=3', rows.join('\n'));
  expect(answer.status).toBe(200);
  expect(await answer.clone().json()).toMatchObject({
    sourceFiles: ['people.jsonl'],
    sourceRows: [{ fieldToValueMap: { id: 0, name: 'row 0' } }, {}, {}],
    rows: [{}, {}, {}],
    schema: { schemaName: 'people' },
    summary: { getnSourceRows: 3 },
  });
  await expectDocumented('previewFile', answer);
  const semicolons = { inputFormat: 'csv', 'recordReader.prop.delimiter': ';' };
  const asCsv = `?batchConfigMapStr=${encodeURIComponent(JSON.stringify(semicolons))}`;
  expect(await (await send(asCsv, 'id;name\n7;"a;b"\n')).json()).toMatchObject({
    sourceRows: [{ fieldToValueMap: { id: '7', name: 'a;b' } }],
    findings: [],
  });
  for (const batchConfig of ['{"delimiter":";"}', '{"inputFormat":"xlsx"}']) {
    const unknown = await send(`?batchConfigMapStr=${batchConfig}`, 'id;name\n');
    expect(unknown.status).toBe(400);
    await expectDocumented('previewFile', unknown);
  }
  // Content of an unknown format is a finding, and so is a truncated file.
  for (const [query, body] of [
    ['', '\0\u0001'],
    ['?name=x.parquet', 'PAR1'],
  ] as const) {
    const odd = await send(query, body);
    expect(odd.status).toBe(200);
    const { findings } = (await odd.json()) as { findings: { severity: string }[] };
    expect(findings.some(({ severity }) => severity === 'error')).toBe(true);
  }
  // A file of an admin may be larger than a body of a preview, that of another caller may not.
  const large = `${rows.join('\n')}\n`;
  expect((await send('?name=a.jsonl', large)).status).toBe(200);
  await expectDocumented('previewFile', await send('?name=a.jsonl', large, 'ann'));
  await expectDocumented('previewFile', await send('?numRows=x', large));
  expect(await readdir(directory)).toEqual([]);
  await rm(directory, { recursive: true });
});

test.each(operations.filter(([, { path }]) => /\/(preview|validate)$/.test(path)))(
  'so it does when the body of %s is valid, and when it is not',
  async (operationId, { path }) => {
    const bodies = [
      { body: '{}' },
      { body: '[1]' },
      { body: '{' },
      { body: '{}', mediaType: 'text/plain' },
      { body: JSON.stringify({ tableName: 'x'.repeat(5000) }) },
      { body: JSON.stringify(previewBody) },
      { body: JSON.stringify({ ...previewBody.tableConfig, ...previewBody.schema }) },
      {
        body: JSON.stringify({
          tableName: 't',
          offline: { tableName: 't' },
          realtime: {},
          schema: previewBody.schema,
        }),
      },
    ];
    for (const body of bodies) {
      await expectDocumented(operationId, await controller.call(path, { method: 'POST', ...body }));
    }
  },
);

test('so it does when callers have no credentials', async () => {
  for (const [operationId, { method, path, schema }] of operations) {
    if (schema.security?.length === 0) continue;
    await expectDocumented(operationId, await controller.call(path, { method, as: undefined }));
  }
});

test('so it does when pages of other sites want to change something', async () => {
  const headers = { 'sec-fetch-site': 'cross-site' };
  for (const [operationId, { method, path }] of operations) {
    if (method === 'GET') continue;
    const answer = await controller.call(path, { method, headers });
    expect(answer.status).toBe(403);
    await expectDocumented(operationId, answer);
  }
});

test.each([
  new TypeError('x is not a function'),
  new QuireError('TOO_MANY_REQUESTS', 'Too many passwords are being checked.'),
  new QuireError('AUTHENTICATION_UNAVAILABLE', 'The keys cannot be read.'),
])('so it does when nobody can be authenticated: %s', async (error) => {
  await using defective = await TestController.start([], {
    authenticate: () => Promise.reject(error),
  });
  for (const [operationId, { method, path, schema }] of operations) {
    if (schema.security?.length === 0) continue;
    await expectDocumented(operationId, await defective.call(path, { method }));
  }
});

test('so it does when the controller shuts down', async () => {
  await using stalling = await FaultProxy.start(broker.address.port);
  stalling.intercept = () => ({ kind: 'stall' });
  await using leaving = await TestController.start([stalling.endpoint], {
    shutdownGraceMs: 10_000,
  });
  const urls = () => stalling.requests.map(({ url }) => url);
  const slow = leaving.call(`/cluster/settings?broker=${encodeURIComponent(stalling.endpoint)}`);
  await expect.poll(urls).toContain('/settings');
  await leaving.clock.advance(60_000);
  await expectDocumented('readSettings', await slow);
  const waiting = leaving.call('/cluster/health').catch(() => 'gone');
  await expect.poll(urls).toContain('/health');
  const closed = leaving.controller.close();
  await expect.poll(async () => (await leaving.call('/health')).status).toBe(503);
  for (const [operationId, { method, path }] of operations) {
    await expectDocumented(operationId, await leaving.call(path, { method }));
  }
  await leaving.clock.advance(60_000);
  await Promise.all([waiting, closed]);
});

expectAllSeen(() =>
  Object.values(document.paths)
    .flatMap((methods) =>
      Object.values(methods)
        .filter(({ operationId }) => !ofTables.has(operationId))
        .flatMap(({ operationId, responses }) =>
          Object.keys(responses).map((status) => `${operationId} ${status}`),
        ),
    )
    .filter((response) => !seen.has(response)),
);
