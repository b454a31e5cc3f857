import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import type { BrokerDirectory } from '../src/http/broker-directory.ts';
import type { PinotHttp } from '../src/http/pinot-http.ts';
import { BrokerQueries } from '../src/query/broker-queries.ts';
import { QueryStop } from '../src/query/query-stop.ts';

test('the message of a refusal is the same wherever its bytes are divided', async () => {
  const bytes = Buffer.from('Zoë, 東京, 🦊 cannot be read');
  const http = {
    clock: new ManualClock(),
    call: async () => ({
      status: 500,
      // One byte at a time.
      body: (async function* () {
        for (const byte of bytes) yield Uint8Array.of(byte);
      })(),
    }),
  } as unknown as PinotHttp;
  const directory = { brokersFor: async () => ['http://b:8099'] } as unknown as BrokerDirectory;
  const statement = {
    sql: 'SELECT 1',
    words: new Set<string>(),
    options: {},
    timeoutMs: 1_000,
    newId: () => 'q1',
  };
  const stop = new QueryStop(http.clock, { signal: undefined, timeoutMs: 1_000 });
  await expect(new BrokerQueries(http, directory).ask(statement, stop)).rejects.toMatchObject({
    code: 'QUERY_FAILED',
    message: `Apache Pinot answers with HTTP 500: ${bytes.toString()}`,
  });
});
