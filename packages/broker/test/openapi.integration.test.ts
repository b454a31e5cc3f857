import { Validator } from '@seriousme/openapi-schema-validator';
import { brokerOperations, type QueryStatus } from '@quire/api';
import { type ErrorCode, QuireError } from '@quire/core';
import { type FaultCall, faultOn, noFaults } from '@quire/core/testing';
import { generatorTrapsIn } from '../../../test/src/testkit/generator-traps.ts';
import { MemoryObjectStore } from '@quire/core/memory';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';
import type { Answer, CallOptions } from '../../../test/src/testkit/http-caller.ts';
import { expectAllSeen } from '../../../test/src/testkit/all-seen.ts';
import { DocumentSchemas } from '../../../test/src/testkit/document-schemas.ts';

interface DocumentedResponse {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
  readonly headers?: Readonly<Record<string, object>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: { readonly type?: string };
  }[];
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
  readonly security?: readonly object[];
}

interface ApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** The operations that this broker serves: it offers no links. */
const { readLink: _notServed, ...operations } = brokerOperations;

/** The results that the cleaner of this broker would delete. */
const plannedSweep = {
  removalCount: 1,
  removals: [
    {
      id: '0190163d-8694-739b-aea5-966c26f8ad91',
      reason: 'evicted' as const,
      bytes: 10,
      ageMs: 5,
      owner: '1a2b3c4d',
      limitedBy: 'engine.broker.pagination.quota.principal.maxPercent',
    },
  ],
  owners: [
    {
      owner: '1a2b3c4d',
      name: 'ann',
      resultCount: 2,
      usageBytes: 30,
      usageAfterBytes: 20,
      shareBytes: 25,
    },
  ],
};

let broker: TestBroker;
let document: ApiDocument;
let schemas: DocumentSchemas;

const start = (): Promise<TestBroker> =>
  TestBroker.start({
    queriesRunningMax: 1,
    queriesQueuedMax: 0,
    listTables: async () => ['numbers'],
    planSweep: async () => plannedSweep,
    usageOf: () => ({
      resultCount: 2,
      usageBytes: 30,
      shareBytes: 25,
      totalUsageBytes: 100,
      quotaBytes: null,
    }),
    settingsInForce: () => ({ settings: [], problems: [] }),
  });

beforeAll(async () => {
  broker = await start();
  document = (await broker.call('/openapi.json')).json<ApiDocument>();
  schemas = new DocumentSchemas(document);
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

/** Headers that a caller may want to know of. */
const headersToTell = /^quire-|^x-request-id$|^retry-after$|^etag$|^www-authenticate$/;

/** Every `operation status` whose response the document describes and a test has seen. */
const seen = new Set<string>();

function expectDocumented(operationId: string, answer: Answer): void {
  const found = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .find((operation) => operation.operationId === operationId);
  const response = found?.responses[answer.status];
  expect(response, `${operationId} does not document ${answer.status}`).toBeDefined();
  seen.add(`${operationId} ${answer.status}`);
  const documented = new Set(Object.keys(response?.headers ?? {}));
  const sent = [...answer.headers.keys()].filter(
    (name) => headersToTell.test(name) && answer.status !== 304,
  );
  expect(sent.filter((name) => !documented.has(name))).toEqual([]);
  expect(response?.content === undefined).toBe(answer.status === 304);
  if (answer.status === 304) return;
  const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const content = response?.content?.[mediaType];
  expect(content, `${operationId} ${answer.status} does not document ${mediaType}`).toBeDefined();
  const body: unknown = mediaType === 'application/json' ? answer.json() : answer.text;
  const problems = schemas.problemsOf(content?.schema ?? {}, body);
  expect(problems, `${operationId} ${answer.status}`).toBe('');
}

test('the document is valid OpenAPI 3.1', async () => {
  expect(document.openapi).toBe('3.1.0');
  const validator = new Validator();
  expect(
    await validator.validate(structuredClone(document) as unknown as Record<string, unknown>),
  ).toEqual({ valid: true });
});

test('nothing in it is known to break generators of clients', () => {
  expect(generatorTrapsIn(document)).toEqual([]);
});

test('it has the calls of the API, and no other', () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
  );
  const expected = Object.entries(operations).map(
    ([name, { method, path }]) =>
      `${name} ${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  expect(documented.toSorted()).toEqual(expected.toSorted());
});

test('every reference in it leads somewhere', () => {
  const references = [
    ...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g),
  ].map(([, name]) => name ?? '');
  expect(references.length).toBeGreaterThan(50);
  expect(references.filter((name) => !(name in document.components.schemas))).toEqual([]);
  expect(JSON.stringify(document)).not.toMatch(/"\$ref":"(?!#\/components\/schemas\/)/);
});

test('every integer and boolean parameter in it is held to its type', async () => {
  const requestId = await broker.stored(1);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { parameters = [] }] of Object.entries(methods)) {
      for (const { name, in: place, schema } of parameters) {
        if (place !== 'query' || schema.type === 'string') continue;
        const target = `${path.replace('{requestId}', requestId)}?offset=0&${name}=x`.replace(
          name === 'offset' ? 'offset=0&' : '&&',
          '',
        );
        const options = {
          method: method.toUpperCase(),
          as: 'root',
          ...(method === 'post' && { body: '{"sql":"rows 1"}' }),
        } as const;
        const answer = await broker.call(target, options);
        expect(answer.json()).toMatchObject({ code: 400, reason: 'INVALID_PARAMETER' });
      }
    }
  }
});

test('every call answers as the document says', async () => {
  const requestId = await broker.stored(300);
  const pinotStored = `/responseStore/${await broker.stored(300)}`;
  const doomed = await broker.stored(1);
  await broker.call(`/query/resultStore/${doomed}`, { method: 'DELETE' });
  const [page, stored, never] = [
    `/query/${requestId}/results`,
    `/query/resultStore/${requestId}`,
    '/query/resultStore/never',
  ];
  const post = (body: object): CallOptions => ({ method: 'POST', body: JSON.stringify(body) });
  const patch = (body: object): CallOptions => ({ method: 'PATCH', body: JSON.stringify(body) });
  const calls: readonly [keyof typeof operations, string, CallOptions?][] = [
    ['runQuery', '/query/sql', post({ sql: 'rows 5' })],
    ['runQuery', '/query/sql?doPaginate=true', post({ sql: 'rows 5' })],
    ['runQuery', '/query/sql?doPaginate=true&format=csv', post({ sql: 'rows 5' })],
    ['runQuery', '/query/sql?format=arrow', post({ sql: 'rows 5' })],
    ['runQuery', '/query/sql', post({ sql: 'fail TABLE_NOT_FOUND' })],
    ['runQuery', '/query/sql?doPaginate=true', post({ sql: 'crash' })],
    ['runQuery', '/query/sql?numRows=x', post({ sql: 'rows 5' })],
    ['runQuery', '/query/sql', post({})],
    ['runQuery', '/query/sql', { ...post({ sql: 'rows 5' }), headers: { accept: 'image/png' } }],
    ['runQuery', '/query/sql', post({ sql: 'x'.repeat(5000) })],
    ['runQuery', '/query/sql', { ...post({}), headers: { 'content-type': 'text/plain' } }],
    ['readPage', `${page}?offset=0`],
    ['readPage', `${page}?offset=300`],
    ['readPage', `${page}?offset=10&numRows=10&format=csv`],
    ['readPage', `${page}?offset=10&numRows=10&format=ndjson`],
    ['readPage', `${page}?offset=10&numRows=10&format=arrow`],
    ['readPage', `${page}?offset=0&format=csv`, { headers: { range: 'bytes=0-9' } }],
    ['readPage', `${page}?offset=0`, { headers: { 'if-none-match': '*' } }],
    ['readPage', page],
    ['readPage', `${page}?offset=0`, { headers: { accept: 'image/png' } }],
    ['readPage', `${page}?offset=301`],
    ['readPage', '/query/never/results?offset=0'],
    ['readPage', `/query/${doomed}/results?offset=0`],
    ['readMetadata', `/query/${requestId}/metadata`],
    ['readMetadata', '/query/never/metadata'],
    ['readMetadata', `/query/${doomed}/metadata`],
    ['readQuery', `/query/${requestId}`],
    ['readQuery', '/query/never'],
    ['readQuery', `/query/${doomed}`],
    ['cancelQuery', `/query/${requestId}`, { method: 'DELETE' }],
    ['cancelQuery', '/query/never', { method: 'DELETE' }],
    ['cancelQuery', `/query/${doomed}`, { method: 'DELETE' }],
    ['listResults', '/query/resultStore', { as: 'root' }],
    ['listResults', '/query/resultStore', { as: 'ann' }],
    ['listResults', '/query/resultStore?own=true', { as: 'ann' }],
    ['listResults', '/query/resultStore?own=x', { as: 'ann' }],
    ['readUsage', '/query/usage', { as: 'ann' }],
    ['readSweepPlan', '/sweep', { as: 'root' }],
    ['readSweepPlan', '/sweep', { as: 'ann' }],
    ['readBrokerSettings', '/settings', { as: 'root' }],
    ['readBrokerSettings', '/settings', { as: 'ann' }],
    ['readResult', stored],
    ['readResult', never],
    ['readResult', `/query/resultStore/${doomed}`],
    ['renewResult', stored, patch({ expiration: '2h' })],
    ['renewResult', stored, patch({ expiration: 'x' })],
    ['renewResult', stored, patch({ expiration: 'x'.repeat(5000) })],
    ['renewResult', stored, { ...patch({}), headers: { 'content-type': 'text/plain' } }],
    ['renewResult', never, patch({ expiration: '2h' })],
    ['renewResult', `/query/resultStore/${doomed}`, patch({ expiration: '2h' })],
    ['deleteResult', never, { method: 'DELETE' }],
    ['deleteResult', `/query/resultStore/${doomed}`, { method: 'DELETE' }],
    ['deleteResult', stored, { method: 'DELETE' }],
    ['deleteExpiredResults', '/query/resultStore', { method: 'DELETE', as: 'root' }],
    ['deleteExpiredResults', '/query/resultStore', { method: 'DELETE', as: 'ann' }],
    [
      'deleteExpiredResults',
      '/query/resultStore?expiredBefore=x',
      { method: 'DELETE', as: 'root' },
    ],
    ['runPinotQuery', '/query', post({ sql: 'rows 5' })],
    ['runPinotQuery', '/query?getCursor=true', post({ sql: 'rows 5' })],
    ['runPinotQuery', '/query', post({})],
    ['runPinotQuery', '/query', { ...post({ sql: 'rows 5' }), headers: { accept: 'image/png' } }],
    ['runPinotQuery', '/query', post({ sql: 'x'.repeat(5000) })],
    ['runPinotQuery', '/query', { ...post({}), headers: { 'content-type': 'text/plain' } }],
    ['listPinotResponses', '/responseStore', { as: 'root' }],
    ['listPinotResponses', '/responseStore', { as: 'ann' }],
    ['readPinotResponse', pinotStored],
    ['readPinotResponse', '/responseStore/never'],
    ['readPinotResponse', `/responseStore/${doomed}`],
    ['readPinotPage', `${pinotStored}/results`],
    ['readPinotPage', `${pinotStored}/results?offset=x`],
    ['readPinotPage', `${pinotStored}/results?offset=300`],
    ['readPinotPage', '/responseStore/never/results'],
    ['readPinotPage', `/responseStore/${doomed}/results`],
    ['deletePinotResponse', '/responseStore/never', { method: 'DELETE' }],
    ['deletePinotResponse', `/responseStore/${doomed}`, { method: 'DELETE' }],
    ['deletePinotResponse', pinotStored, { method: 'DELETE' }],
    ['deleteExpiredPinotResponses', '/responseStore', { method: 'DELETE', as: 'root' }],
    ['deleteExpiredPinotResponses', '/responseStore', { method: 'DELETE', as: 'ann' }],
    [
      'deleteExpiredPinotResponses',
      '/responseStore?expiredBefore=x',
      { method: 'DELETE', as: 'root' },
    ],
    ['listTables', '/tables'],
    ['readTableSchema', '/tables/numbers_OFFLINE/schema'],
    ['readTableSchema', '/tables/letters/schema'],
    ['readHealth', '/health', { as: undefined }],
    ['readMetrics', '/metrics'],
    ['readOpenApi', '/openapi.json'],
    ['readDocs', '/docs'],
  ];
  for (const [operationId, path, options] of calls) {
    expectDocumented(operationId, await broker.call(path, options));
  }
});

test('so it does while a query runs, and when it has failed', async () => {
  for (const [operationId, path] of [
    ['runQuery', '/query/sql'],
    ['runPinotQuery', '/query'],
  ] as const) {
    const running = await broker.call(`${path}?doPaginate=true&async=true&wait=0s`, {
      method: 'POST',
      body: '{"sql":"hang"}',
    });
    expectDocumented(operationId, running);
    const query = `/query/${running.json<QueryStatus>().requestId}`;
    expectDocumented('listQueries', await broker.call('/queries'));
    expectDocumented('readPage', await broker.call(`${query}/results?offset=0&wait=0s`));
    expectDocumented('readQuery', await broker.call(query));
    expectDocumented('readMetadata', await broker.call(`${query}/metadata`));
    expectDocumented(
      'renewResult',
      await broker.call(query.replace('query', 'query/resultStore'), {
        method: 'PATCH',
        body: '{"expiration":"2h"}',
      }),
    );
    expectDocumented(
      'deleteResult',
      await broker.call(query.replace('query', 'query/resultStore'), { method: 'DELETE' }),
    );
    expectDocumented(
      'deletePinotResponse',
      await broker.call(query.replace('query', 'responseStore'), { method: 'DELETE' }),
    );
    expectDocumented('cancelQuery', await broker.call(query, { method: 'DELETE' }));
    expectDocumented('readPage', await broker.call(`${query}/results?offset=0`));
    expectDocumented('readQuery', await broker.call(query));
  }
  const failures: readonly ErrorCode[] = [
    'QUERY_FAILED',
    'QUERY_LIMIT_EXCEEDED',
    'QUERY_TIMED_OUT',
    'STORE_FULL',
  ];
  for (const code of failures) {
    const failed = await broker.query(`fail ${code}`, '?doPaginate=true&async=true');
    expectDocumented('runQuery', failed);
    expectDocumented(
      'readPage',
      await broker.call(`/query/${failed.headers.get('x-request-id')}/results?offset=0`),
    );
  }
});

test('so it does of a query that another broker of the store runs', async () => {
  const shared = { store: new MemoryObjectStore({ sizeMaxBytes: 1e6 }), isShared: true };
  await using runner = await TestBroker.start(
    { advertised: undefined },
    { ...shared, brokerId: 'runner' },
  );
  await using peer = await TestBroker.start(
    { advertised: undefined },
    { ...shared, brokerId: 'peer' },
  );
  const { requestId } = (await runner.query('hang', '?doPaginate=true&async=true&wait=0s')).json();
  const body = '{"expiration":"2h"}';
  for (const { method, path, schema } of Object.values(operations)) {
    if (!(421 in schema.response)) continue;
    const target = `${path.replace(':requestId', requestId)}?offset=0`;
    const answer = await peer.call(target, { method, ...(method === 'PATCH' && { body }) });
    expect(answer.status).toBe(421);
    expectDocumented(schema.operationId, answer);
  }
  await runner.call(`/query/${requestId}`, { method: 'DELETE' });
});

test('so it does when the store fails', async () => {
  const requestId = await broker.stored(300);
  const full = new QuireError('STORE_FULL', 'No room.');
  broker.faults.plan = ({ op }: FaultCall) =>
    op === 'put' ? { kind: 'fail-before', error: full } : undefined;
  const body = '{"expiration":"2h"}';
  expectDocumented(
    'renewResult',
    await broker.call(`/query/resultStore/${requestId}`, { method: 'PATCH', body }),
  );
  broker.faults.plan = faultOn('get', { kind: 'fail-before' });
  expectDocumented('readPage', await broker.call(`/query/${requestId}/results?offset=0`));
  expectDocumented('readPinotPage', await broker.call(`/responseStore/${requestId}/results`));
  broker.faults.plan = faultOn('list', { kind: 'fail-before' });
  expectDocumented('listResults', await broker.call('/query/resultStore', { as: 'root' }));
  expectDocumented(
    'deleteExpiredResults',
    await broker.call('/query/resultStore', { as: 'root', method: 'DELETE' }),
  );
  expectDocumented('listPinotResponses', await broker.call('/responseStore', { as: 'root' }));
  expectDocumented(
    'deleteExpiredPinotResponses',
    await broker.call('/responseStore', { as: 'root', method: 'DELETE' }),
  );
  broker.faults.plan = noFaults;
});

test('so it does when callers have no credentials', async () => {
  for (const { method, path, schema } of Object.values(operations)) {
    if (schema.security?.length === 0) continue;
    expectDocumented(schema.operationId, await broker.call(path, { method, as: undefined }));
  }
});

test('so it does when pages of other sites want to change something', async () => {
  const headers = { 'sec-fetch-site': 'cross-site' };
  for (const { method, path, schema } of Object.values(operations)) {
    if (method === 'GET') continue;
    const answer = await broker.call(path, { method, headers });
    expect(answer.json()).toMatchObject({ reason: 'ORIGIN_NOT_ALLOWED' });
    expectDocumented(schema.operationId, answer);
  }
});

test.each([
  new TypeError('x is not a function'),
  new QuireError('TOO_MANY_REQUESTS', 'Too many passwords are being checked.'),
])('so it does when nobody can be authenticated: %s', async (error) => {
  await using defective = await TestBroker.start({ authenticate: () => Promise.reject(error) });
  for (const { method, path, schema } of Object.values(operations)) {
    if (schema.security?.length === 0) continue;
    const answer = await defective.call(path, { method });
    expectDocumented(schema.operationId, answer);
    expect(answer.text).not.toContain('not a function');
  }
});

test('so it does when a query names results that are not there, not any more, or not yet', async () => {
  const [gone, growing] = [
    await broker.stored(1),
    await broker.query('hang', '?doPaginate=true&async=true&wait=0s'),
  ];
  await broker.call(`/query/resultStore/${gone}`, { method: 'DELETE' });
  const { requestId } = growing.json();
  for (const id of ['nothing', gone, requestId]) {
    const sql = `rows 1 of result('${id}')`;
    expectDocumented('runQuery', await broker.query(sql));
    expectDocumented(
      'runPinotQuery',
      await broker.call('/query', { method: 'POST', body: JSON.stringify({ sql }) }),
    );
  }
  expect((await broker.call(`/query/${requestId}`, { method: 'DELETE' })).status).toBe(200);
});

test('so it does when no query may run, and when the broker shuts down', async () => {
  await using leaving = await start();
  const abort = new AbortController();
  const running = leaving.query('hang', '', { signal: abort.signal }).catch(() => 'gone');
  await leaving.engine.untilHanging();
  expectDocumented('runQuery', await leaving.query('rows 1'));
  expectDocumented(
    'runPinotQuery',
    await leaving.call('/query', { method: 'POST', body: '{"sql":"rows 1"}' }),
  );
  const closed = leaving.broker.close();
  for (const { method, path, schema } of Object.values(operations)) {
    expectDocumented(schema.operationId, await leaving.call(path, { method }));
  }
  abort.abort();
  await Promise.all([running, closed]);
});

expectAllSeen(() =>
  Object.values(document.paths)
    .flatMap((methods) =>
      Object.values(methods).flatMap(({ operationId, responses }) =>
        Object.keys(responses).map((status) => `${operationId} ${status}`),
      ),
    )
    .filter((response) => !seen.has(response)),
);
