import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventSchema, LiveTables, token } from '../tables/live-tables.ts';
import {
  CliProcess,
  propertiesOf,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { failureOf, firstTicket, FlightTestClient } from '../testkit/flight-test-client.ts';
import { FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { type CollectedSpan, OtelCollector, treesOf } from '../testkit/servers/otel-collector.ts';
import { S3Server, s3SettingsOf } from '../testkit/servers/s3-server.ts';
import { describeWithTool, otelCollector, s3Server } from '../testkit/toolchain.ts';

const callerSpan = '00f067aa0ba902b7';
const conventionalAttributes = readConventions();

describeWithTool(otelCollector, 'traces at a collector', (path) => {
  let collector: OtelCollector;
  let broker: CliProcess;
  let proxy: CliProcess;
  let url: string;
  let flightUrl: string;
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;

  beforeAll(async () => {
    collector = await OtelCollector.start(path);
    folder = await temporaryDirectory();
    const config = await writeSettings(folder.path, 'engine.log.format = json\n');
    const start = (role: string, ...settings: readonly string[]): CliProcess =>
      new CliProcess(
        [
          'start',
          '--roles',
          role,
          '--config',
          config,
          ...settings.flatMap((each) => ['--set', each]),
        ],
        {
          variables: {
            ...testVariables,
            ...collector.variables,
            OTEL_SERVICE_NAME: `quire-${role}`,
          },
        },
      );
    broker = start('broker', 'engine.broker.flight.port=0');
    const [, brokerUrl = ''] = await broker.untilPrinted(/broker +(http:\S+)[^]*Ctrl-C/);
    [, flightUrl = ''] = await broker.untilPrinted(/flight +(grpc:\S+)/);
    proxy = start('proxy', `proxy.brokers=${brokerUrl}`, 'proxy.port=0');
    [, url = ''] = await proxy.untilPrinted(/proxy +(http:\S+)[^]*Ctrl-C/);
  });

  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await broker[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
  });

  /** Makes a call as a part of a trace of its own. */
  async function call(path: string, traceId: string, body?: object): Promise<Response> {
    const response = await fetch(`${url}${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        authorization: 'Bearer admin-token',
        traceparent: `00-${traceId}-${callerSpan}-01`,
        tracestate: 'vendor=1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
    });
    return response;
  }

  test('a query through a proxy is one trace, from the call to the commit in the process of the query', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const body = { sql: 'SELECT symbol FROM stocks LIMIT 10' };
    const response = await call('/query/sql?doPaginate=true', traceId, body);
    expect(response.status).toBe(200);
    const { requestId } = (await response.json()) as { requestId: string };
    await expect
      .poll(() => treesOf(collector.trace(traceId)))
      .toEqual([
        [
          'POST /query/sql',
          [
            'POST',
            [
              'POST /query/sql',
              ['page.encode', ['page.read']],
              ['page.plan'],
              ['page.send'],
              [
                'query',
                ['query.queue'],
                [
                  'worker',
                  ['query.commit', ['store.put']],
                  ['query.plan'],
                  ['query.write', ['query.execute'], ['store.put']],
                ],
              ],
            ],
          ],
        ],
      ]);
    const spans = collector.trace(traceId);
    const childOf = (parent: string | undefined) =>
      spans.find(({ parentSpanId }) => parentSpanId === parent);
    const ofProxy = childOf(callerSpan);
    const toBroker = childOf(ofProxy?.spanId);
    const ofBroker = childOf(toBroker?.spanId);
    expect(ofProxy).toMatchObject({
      parentSpanId: callerSpan,
      traceState: 'vendor=1',
      kind: 2,
      isFailed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/query/sql',
        'url.path': '/query/sql',
        'url.scheme': 'http',
        'server.address': '127.0.0.1',
        'http.response.status_code': 200,
        'user_agent.original': 'node',
      },
      resource: { 'service.name': 'quire-proxy', 'telemetry.sdk.language': 'nodejs' },
    });
    expect(toBroker).toMatchObject({ kind: 3, attributes: { 'http.response.status_code': 200 } });
    expect(ofBroker).toMatchObject({
      kind: 2,
      attributes: { 'quire.principal': 'admin', 'quire.request_id': requestId },
      resource: { 'service.name': 'quire-broker' },
    });
    expect(spans.find(({ name }) => name === 'query')).toMatchObject({
      attributes: { 'quire.request_id': requestId, 'db.response.returned_rows': 10 },
    });
    // The log names the same spans.
    await broker.untilLogged(`"trace_id":"${traceId}","span_id":"${ofBroker?.spanId}"`);
    await proxy.untilLogged(`"trace_id":"${traceId}","span_id":"${ofProxy?.spanId}"`);
  });

  test('a page is planned, read, encoded and sent in spans of its trace', async () => {
    const first = await call('/query/sql?doPaginate=true', 'a'.repeat(32), {
      sql: 'SELECT symbol FROM stocks LIMIT 100',
    });
    const { requestId } = (await first.json()) as { requestId: string };
    const traceId = 'b'.repeat(32);
    const page = await call(`/query/${requestId}/results?offset=50&numRows=5`, traceId);
    expect(page.status).toBe(200);
    const route = 'GET /query/:requestId/results';
    await expect
      .poll(() => treesOf(collector.trace(traceId)))
      .toEqual([
        [route, ['GET', [route, ['page.encode', ['page.read']], ['page.plan'], ['page.send']]]],
      ]);
  });

  test('calls of Arrow Flight SQL are spans by the conventions of gRPC, in the trace that their client names', async () => {
    const traceId = '3'.repeat(32);
    await using client = new FlightTestClient(flightUrl.replace('grpc:', 'http:'));
    client.as({
      authorization: 'Bearer admin-token',
      traceparent: `00-${traceId}-${callerSpan}-01`,
    });
    const info = await client.run('SELECT symbol FROM stocks LIMIT 10');
    // From then on the rows are read from the stored result.
    const namesOf = () => collector.trace(traceId).map(({ name }) => name);
    await expect.poll(namesOf).toContain('query');
    const { table } = await client.read(firstTicket(info));
    expect(table.numRows).toBe(10);
    const service = 'arrow.flight.protocol.FlightService';
    await expect
      .poll(() => treesOf(collector.trace(traceId)).toSorted(byName))
      .toEqual([
        [`${service}/DoGet`, ['page.encode', ['page.read']], ['page.plan']],
        [
          `${service}/GetFlightInfo`,
          [
            'query',
            ['query.queue'],
            [
              'worker',
              ['query.commit', ['store.put']],
              ['query.plan'],
              ['query.write', ['query.execute'], ['store.put']],
            ],
          ],
        ],
      ]);
    expect(collector.trace(traceId).find(({ name }) => name === `${service}/DoGet`)).toMatchObject({
      parentSpanId: callerSpan,
      kind: 2,
      isFailed: false,
      attributes: {
        'rpc.system.name': 'grpc',
        'rpc.method': `${service}/DoGet`,
        'rpc.status_code': 'OK',
        'client.address': '127.0.0.1',
        'quire.principal': 'admin',
      },
    });
    await broker.untilLogged(`"trace_id":"${traceId}"`);

    const refusedId = '4'.repeat(32);
    client.as({ traceparent: `00-${refusedId}-${callerSpan}-01` });
    expect((await failureOf(client.run('SELECT 1'))).reason).toBe('UNAUTHENTICATED');
    await expect
      .poll(() => collector.trace(refusedId))
      .toMatchObject([
        {
          name: `${service}/GetFlightInfo`,
          isFailed: false,
          attributes: { 'rpc.status_code': 'UNAUTHENTICATED' },
        },
      ]);
  });

  test('a query that fails has a span that says why, and its call is answered', async () => {
    const traceId = 'c'.repeat(32);
    const response = await call('/query/sql', traceId, { sql: 'SELECT nothing FROM stocks' });
    expect(response.status).toBe(200);
    const failed = () => collector.trace(traceId).filter(({ isFailed }) => isFailed);
    const names = ['query', 'query.plan', 'worker'];
    await expect
      .poll(() =>
        failed()
          .map(({ name }) => name)
          .toSorted(),
      )
      .toEqual(names);
    const types = failed().map(({ attributes }) => attributes['error.type']);
    expect(types).toEqual(Array.from({ length: 3 }, () => 'COLUMN_NOT_FOUND'));
  });

  test('a caller that samples no trace gets none exported, and calls of health have no span', async () => {
    const traceId = 'd'.repeat(32);
    const { status } = await fetch(`${url}/queries`, {
      headers: {
        authorization: 'Bearer admin-token',
        traceparent: `00-${traceId}-${callerSpan}-00`,
      },
    });
    expect(status).toBe(200);
    await fetch(`${url}/health`);
    // A server exports its spans in the order in which they ended.
    await call('/queries', 'e'.repeat(32));
    const roots = () =>
      collector.trace('e'.repeat(32)).filter(({ parentSpanId }) => parentSpanId === callerSpan);
    await expect.poll(roots).toHaveLength(1);
    expect(collector.trace(traceId)).toEqual([]);
    expect(collector.spans.map(({ name }) => name)).not.toContain('GET /health');
    // Periodic checks of other servers make no traces.
    expect(
      collector.spans.filter(({ parentSpanId, kind }) => parentSpanId === '' && kind === 3),
    ).toEqual([]);
  });

  test('a scrape by OpenMetrics names a trace as an example of a duration, and others are as they were', async () => {
    const traceId = 'f'.repeat(32);
    await (await call('/queries', traceId)).text();
    const scrape = async (accept: string): Promise<readonly [string | null, string]> => {
      const headers = { authorization: 'Bearer admin-token', accept };
      const response = await fetch(`${url}/metrics`, { headers });
      return [response.headers.get('content-type'), await response.text()];
    };
    const plain = await scrape('text/plain');
    const [type, text] = await scrape(
      'application/openmetrics-text;version=1.0.0,text/plain;q=0.5',
    );
    expect(type).toMatch(/^application\/openmetrics-text; version=1\.0\.0/);
    expect(text).toMatch(
      new RegExp(
        `^quire_http_request_duration_seconds_bucket\\{[^}]*route="/queries"[^}]*\\} \\d+ # \\{trace_id="${traceId}",span_id="[0-9a-f]{16}"\\} [\\d.]+ [\\d.]+$`,
        'm',
      ),
    );
    expect(text.match(/# EOF/g)).toEqual(['# EOF']);
    expect(text.endsWith('\n# EOF\n')).toBe(true);
    const namesOf = (each: string): readonly string[] =>
      [...new Set(Array.from(each.matchAll(/^quire_[a-z_]+/gm), ([name]) => name))].toSorted();
    expect(namesOf(text)).toEqual(namesOf(plain[1]));
    const again = await scrape('text/plain');
    expect(again[0]).toMatch(/^text\/plain/);
    expect(namesOf(again[1])).toEqual(namesOf(plain[1]));
    expect(again[1]).not.toContain('trace_id');
  });

  describeWithTool(s3Server, 'with results in S3', (s3Path) => {
    test('requests to the bucket bear the trace of their query and of the span of their call', async () => {
      await using s3 = await S3Server.start(s3Path);
      await using bucket = await FaultProxy.start(s3.process.port);
      const settings = s3SettingsOf({ ...s3.storeOptions(), endpoint: bucket.endpoint });
      const own = await writeSettings(folder.path, propertiesOf(settings));
      await using server = new CliProcess(['start', '--roles', 'broker', '--config', own], {
        variables: { ...testVariables, ...collector.variables },
      });
      const [, serverUrl = ''] = await server.untilPrinted(/broker +(http:\S+)[^]*Ctrl-C/);
      const traceId = '1'.repeat(32);
      const before = bucket.requests.length;
      const response = await fetch(`${serverUrl}/query/sql?doPaginate=true`, {
        method: 'POST',
        body: JSON.stringify({ sql: 'SELECT symbol FROM stocks' }),
        headers: {
          authorization: 'Bearer admin-token',
          'content-type': 'application/json',
          traceparent: `00-${traceId}-${callerSpan}-01`,
        },
      });
      expect(response.status).toBe(200);
      const puts = bucket.requests.slice(before).filter(({ method }) => method === 'PUT');
      const parents = puts.map(({ headers }) => headers['traceparent'] ?? '');
      expect(parents).toHaveLength(2);
      const calls = () => collector.trace(traceId).filter(({ name }) => name === 'store.put');
      await expect.poll(calls).toHaveLength(2);
      const ids = calls().map(({ spanId }) => `00-${traceId}-${spanId}-01`);
      expect(parents.toSorted()).toEqual(ids.toSorted());
    });
  });

  describe('of a server with tables', () => {
    let tables: LiveTables;

    beforeAll(async () => {
      const settings = {
        'controller.cluster.pagination.cleaner.initialDelay': '0s',
        'controller.cluster.pagination.cleaner.frequencyPeriod': '1h',
      };
      tables = await LiveTables.open(settings, collector.variables);
    });

    afterAll(() => tables[Symbol.asyncDispose]());

    const spansNamed = (name: string): readonly CollectedSpan[] =>
      collector.spans.filter((span) => span.name === name);

    test('a sweep is a trace with its listing and its passes', async () => {
      await expect.poll(() => spansNamed('sweep').length).toBeGreaterThan(0);
      const [sweep] = spansNamed('sweep');
      expect(sweep).toMatchObject({
        parentSpanId: '',
        attributes: { 'quire.sweep.is_good': true },
      });
      expect(treesOf(collector.trace(sweep?.traceId ?? ''))).toContainEqual([
        'sweep',
        ['sweep.evict'],
        ['sweep.expire'],
        ['sweep.leftovers'],
        ['sweep.list'],
        ['sweep.orphans'],
      ]);
    });

    test('a file that is loaded is a part of the trace of its call', async () => {
      await tables.create('/schemas', { ...eventSchema, schemaName: 'loaded' });
      await tables.create('/tables', { tableName: 'loaded', tableType: 'OFFLINE' });
      await tables.ingestRows('loaded_OFFLINE', [{ id: 1, amount: 2, ts: 3 }]);
      await expect.poll(() => spansNamed('POST /ingestFromFile')).toHaveLength(1);
      const [load] = spansNamed('POST /ingestFromFile');
      expect(treesOf(collector.trace(load?.traceId ?? ''))).toEqual([
        ['POST /ingestFromFile', ['ingest'], ['ingest.receive']],
      ]);
      expect(spansNamed('ingest')).toMatchObject([
        { attributes: { 'db.collection.name': 'loaded_OFFLINE', 'quire.rows': 1 } },
      ]);
    });

    test('a preview is a part of the trace of its call, with its steps in its own process', async () => {
      const traceId = '5'.repeat(32);
      const answer = await fetch(`${tables.controllerUrl}/tables/preview`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          traceparent: `00-${traceId}-${callerSpan}-01`,
        },
        body: JSON.stringify({ rows: [{ id: 1 }, { id: 2 }] }),
      });
      expect(answer.status).toBe(200);
      await expect
        .poll(() => treesOf(collector.trace(traceId)))
        .toEqual([
          [
            'POST /tables/preview',
            [
              'preview',
              ['preview.queue'],
              ['worker', ['preview.plan'], ['preview.run'], ['preview.sample']],
            ],
          ],
        ]);
    });

    test('messages are processed in spans with the conventions of messaging, and a restream is one trace of its stages', async () => {
      await using producer = await tables.producer(1);
      const message = JSON.stringify({ id: 1, amount: 2, ts: 3 });
      await producer.append([{ key: null, value: Buffer.from(message) }]);
      await tables.makeEvents();
      await expect.poll(() => spansNamed('process events').length).toBeGreaterThan(0);
      const [processed] = spansNamed('process events');
      expect(processed).toMatchObject({
        kind: 5,
        parentSpanId: '',
        attributes: {
          'messaging.system.name': 'file',
          'messaging.destination.name': 'events',
          'messaging.destination.partition.id': '0',
          'messaging.operation.type': 'process',
          'messaging.batch.message_count': 1,
          'db.collection.name': 'events_REALTIME',
        },
      });
      const traceId = '2'.repeat(32);
      const start = '/tables/events_REALTIME/restream?destTableNameWithType=copy_REALTIME';
      const answer = await fetch(`${tables.controllerUrl}${start}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          traceparent: `00-${traceId}-${callerSpan}-01`,
        },
      });
      expect(answer.status).toBe(200);
      await expect.poll(async () => (await tables.restream()).status).toBe('DONE');
      const route = 'POST /tables/:tableName/restream';
      await expect
        .poll(() => treesOf(collector.trace(traceId)))
        .toEqual([
          [
            route,
            ['restream FORCE_COMMIT'],
            ['restream INIT'],
            ['restream REBALANCE'],
            ['restream TABLE_STREAM'],
            ['restream.commit'],
            ['restream.compare'],
            ['restream.make'],
            ['restream.rebalance'],
            ['restream.release'],
          ],
        ]);
    });
  });

  test('attributes that the semantic conventions have replaced are not among those that spans are held to', () => {
    expect(
      ['db.system.name', 'db.system', 'rpc.method', 'rpc.service'].filter(isConventional),
    ).toEqual(['db.system.name', 'rpc.method']);
  });

  afterAll(() => {
    const names = collector.spans.flatMap(({ attributes }) => Object.keys(attributes));
    const others = [...new Set(names)].filter((name) => !isConventional(name));
    if (others.length > 0) throw new Error(`Attributes of no convention: ${others.join(', ')}`);
  });
});

const byName = (one: readonly unknown[], other: readonly unknown[]): number =>
  String(one[0]).localeCompare(String(other[0]));

function isConventional(attribute: string): boolean {
  return attribute.startsWith('quire.') || conventionalAttributes.has(attribute);
}

/** The attributes that OpenTelemetry's package of conventions names, without deprecated ones. */
function readConventions(): ReadonlySet<string> {
  const folder = join(import.meta.dirname, '../../../node_modules/@opentelemetry');
  const declared = /\/\*\*((?:(?!\*\/).)*)\*\/\s*declare const ATTR_\w+: "([^"]*)"/gs;
  return new Set(
    ['stable', 'experimental'].flatMap((kind) => {
      const path = join(folder, `semantic-conventions/dist/${kind}_attributes.d.mts`);
      return Array.from(readFileSync(path, 'utf8').matchAll(declared), ([, paper = '', name]) =>
        paper.includes('@deprecated') ? [] : [name ?? ''],
      ).flat();
    }),
  );
}
