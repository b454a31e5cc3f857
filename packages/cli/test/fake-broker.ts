import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const fakeRequestId = '018f6b1e-0000-7000-8000-000000000001';

export interface FakeBroker extends AsyncDisposable {
  readonly url: string;
  /** Method and path of each call so far, with its query. */
  readonly calls: readonly string[];
  /** Authorization of each call so far. */
  readonly authorizations: readonly (string | undefined)[];
}

/** The response to a call, unless it is rows; undefined leaves the call unanswered. */
export type Answer = { readonly status?: number; readonly body: unknown } | 'rows' | undefined;

/**
 * A broker on loopback that has one result of `rowCount` rows, 0, 1, 2 …; `answer` may replace its
 * answers.
 */
export async function startFakeBroker(
  rowCount: number,
  answer: (request: IncomingMessage) => Answer = () => 'rows',
): Promise<FakeBroker> {
  const calls: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    authorizations.push(request.headers.authorization);
    const answered = answer(request);
    if (answered === 'rows') answerRows(request, response, rowCount);
    else if (answered !== undefined) {
      response.statusCode = answered.status ?? 200;
      response.end(
        typeof answered.body === 'string' ? answered.body : JSON.stringify(answered.body),
      );
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    authorizations,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answerRows(
  request: IncomingMessage,
  response: ServerResponse,
  totalRowCount: number,
): void {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  const offset = Number(searchParams.get('offset') ?? 0);
  // A page size of 4 unless the caller sets one.
  const end = Math.min(totalRowCount, offset + (Number(searchParams.get('numRows')) || 4));
  const rows = Array.from({ length: end - offset }, (_, index) => [
    offset + index,
    `row ${offset + index}`,
  ]);
  const format = searchParams.get('format');
  const headers = {
    'request-id': fakeRequestId,
    'num-rows-result-set': totalRowCount,
    offset,
    'num-rows': rows.length,
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(`quire-${name}`, value);
  const head = format === 'csv' ? 'n\n' : '';
  if (format !== null) {
    return void response.end(head + rows.map(([n]) => `${format} ${n}\n`).join(''));
  }
  const dataSchema = { columnNames: ['n', 'text'], columnDataTypes: ['LONG', 'STRING'] };
  response.end(
    JSON.stringify({
      resultTable: { dataSchema, rows },
      requestId: fakeRequestId,
      brokerId: 'Broker_test_1',
      numRowsResultSet: totalRowCount,
      offset,
      numRows: rows.length,
      nextOffsetParams: null,
      exceptions: [],
    }),
  );
}
