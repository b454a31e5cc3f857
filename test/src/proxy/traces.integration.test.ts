import { expect, test } from 'vitest';
import { type LogLine, recordingLogger } from '../testkit/broker-log.ts';
import { startBroker, TestProxy } from '../testkit/proxy-server.ts';

const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736';
const span_id = '00f067aa0ba902b7';

/** Returns the traces in the log lines of queries that ended. */
function tracesOf(lines: readonly LogLine[]): readonly unknown[] {
  return lines
    .filter(({ msg, route }) => msg === 'call ended' && route === '/query/sql')
    .map((line) => [line['trace_id'], line['span_id']]);
}

test('a call through a proxy has the trace of its traceparent in the logs of the proxy and of the broker', async () => {
  const ofBroker: LogLine[] = [];
  const ofProxy: LogLine[] = [];
  await using broker = await startBroker('one', { logger: recordingLogger(ofBroker) });
  await using proxy = await TestProxy.start([broker], { logger: recordingLogger(ofProxy) });
  const headers = { traceparent: `00-${trace_id}-${span_id}-01` };
  const answer = await proxy.query('rows 3', '?doPaginate=true', { headers });
  expect(answer.status).toBe(200);
  await expect.poll(() => tracesOf(ofBroker)).toEqual([[trace_id, span_id]]);
  await expect.poll(() => tracesOf(ofProxy)).toEqual([[trace_id, span_id]]);
  // A call that runs a query is logged under the id of the query from then on.
  const { requestId } = answer.json();
  expect(ofBroker).toContainEqual(expect.objectContaining({ route: '/query/sql', requestId }));
});

test('a call without a valid traceparent has no trace in the log', async () => {
  const lines: LogLine[] = [];
  await using broker = await startBroker('one', { logger: recordingLogger(lines) });
  for (const headers of [{}, { traceparent: `00-${'0'.repeat(32)}-${span_id}-01` }]) {
    await broker.query('rows 3', '?doPaginate=true', { headers });
  }
  await expect
    .poll(() => tracesOf(lines))
    .toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
});
