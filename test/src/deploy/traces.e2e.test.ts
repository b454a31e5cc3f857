import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CliProcess,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { OtelCollector, treesOf } from '../testkit/servers/otel-collector.ts';
import { describeWithTool, otelCollector } from '../testkit/toolchain.ts';

const callerSpan = '00f067aa0ba902b7';

describeWithTool(otelCollector, 'traces at a collector', (path) => {
  let collector: OtelCollector;
  let broker: CliProcess;
  let proxy: CliProcess;
  let url: string;
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
    broker = start('broker');
    const [, brokerUrl = ''] = await broker.untilPrinted(/broker +(http:\S+)[^]*Ctrl-C/);
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
});
