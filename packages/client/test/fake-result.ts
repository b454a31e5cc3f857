import { ManualClock } from '@quire/core/testing';
import { QuireClient, type QuireClientOptions } from '../src/index.ts';

export const requestId = '018f6b1e-0000-7000-8000-000000000001';

/** The behavior instead of an answer: `cut` sends half of it, and then breaks the connection. */
type Fault = Response | Error | 'cut' | 'hang' | undefined;

interface FakeOptions {
  readonly rowCount: number;
  /** Decides about each call, counted from 0; undefined lets it be answered. */
  readonly fault?: (call: string, index: number) => Fault;
  readonly client?: Partial<QuireClientOptions>;
}

/**
 * A client whose server has one result of rows `[0, 'row 0']`, `[1, 'row 1']` …, the calls so far,
 * and the time.
 */
export class FakeResult {
  /** Method, path and parameters of each call. */
  readonly calls: string[] = [];
  readonly headers: Headers[] = [];
  readonly clock = new ManualClock();
  readonly client: QuireClient;
  readonly #options: FakeOptions;

  constructor(options: FakeOptions) {
    this.#options = options;
    this.client = new QuireClient({
      baseUrl: 'http://quire.test',
      clock: this.clock,
      random: { bytes: (count) => new Uint8Array(count), fraction: () => 0.5 },
      fetch: (input, init) => this.#answer(new Request(input, init)),
      ...options.client,
    });
  }

  /** Offsets and row counts of the page calls so far. */
  get pages(): string[] {
    return this.calls.flatMap(
      (call) => /GET .*results\?offset=(\d+)&numRows=(\d+)/.exec(call)?.slice(1, 3).join('+') ?? [],
    );
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const call = `${request.method} ${pathname}${search}`;
    this.calls.push(call);
    this.headers.push(request.headers);
    const fault = this.#options.fault?.(call, this.calls.length - 1);
    if (fault instanceof Error) throw fault;
    if (fault instanceof Response) return fault;
    if (fault === 'hang') return new Promise(() => undefined);
    const { body, headers } = this.#body(request);
    return new Response(fault === 'cut' ? cutShort(body) : body, { headers });
  }

  #body(request: Request): { readonly body: string; readonly headers: Record<string, string> } {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === 'DELETE') {
      return { body: `Query Results for ${requestId} deleted.`, headers: {} };
    }
    if (pathname.endsWith('/metadata')) {
      return { body: JSON.stringify([{ requestId }]), headers: {} };
    }
    const offset = Number(searchParams.get('offset') ?? 0);
    const end = Math.min(
      this.#options.rowCount,
      offset + Number(searchParams.get('numRows') ?? 10),
    );
    const rows = Array.from(
      { length: end - offset },
      (_, index) => [offset + index, `row ${offset + index}`] as const,
    );
    const format = searchParams.get('format');
    if (format === null) {
      return { body: cursorResponse(rows, offset, this.#options.rowCount), headers: {} };
    }
    const headers = {
      'quire-offset': String(offset),
      'quire-num-rows': String(rows.length),
      'quire-request-id': requestId,
    };
    return {
      body: format === 'csv' ? csvOf(rows) : rows.map(([n]) => `{"n":${n}}\n`).join(''),
      headers,
    };
  }
}

/** Returns the CSV of rows, with a name in its header that contains line breaks. */
export function csvOf(rows: readonly (readonly [number, string])[]): string {
  return `n,"a ""name"",\r\nof two lines"\r\n${rows.map(([n, text]) => `${n},${text}\r\n`).join('')}`;
}

function cursorResponse(rows: readonly unknown[], offset: number, rowCount: number): string {
  return JSON.stringify({
    resultTable: {
      dataSchema: { columnNames: ['n', 'text'], columnDataTypes: ['LONG', 'STRING'] },
      rows,
    },
    requestId,
    brokerId: 'Broker_quire.test_80',
    numRowsResultSet: rowCount,
    offset,
    numRows: rows.length,
    nextOffsetParams: null,
    exceptions: [],
    brokerHost: 'broker.test',
    brokerPort: 8099,
  });
}

function cutShort(body: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body);
  return new ReadableStream({
    start: (controller) => controller.enqueue(bytes.subarray(0, bytes.byteLength / 2)),
    pull: () =>
      Promise.reject(new TypeError('terminated', { cause: new Error('other side closed') })),
  });
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

export function textOf(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString();
}
