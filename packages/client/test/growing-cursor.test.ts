import { ManualClock } from '@quire/core/testing';
import { pageHeaders } from '@quire/core/wire';
import { expect, test } from 'vitest';
import { type GrowingCursor, QuireQueryClient } from '../src/index.ts';
import { requestId } from './fake-result.ts';

const status = {
  requestId,
  brokerId: 'Broker_a_1',
  state: 'RUNNING',
  numRowsResultSet: 0,
  sizeBytes: 0,
  timeUsedMs: 1,
  submissionTimeMs: 1,
  exceptions: [],
};

/** A clock that resolves `pausing` once a caller pauses between two calls. */
class WatchedClock extends ManualClock {
  readonly #pausing = Promise.withResolvers<void>();
  readonly pausing = this.#pausing.promise;

  override sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    // The timeouts of calls are longer.
    if (delayMs === 200) this.#pausing.resolve();
    return super.sleep(delayMs, signal);
  }
}

/** Starts a query that has no columns yet, at a server that does not wait for them. */
async function startQuery() {
  const clock = new WatchedClock();
  const headers = { [pageHeaders.state]: 'RUNNING' };
  const fetch = (): Promise<Response> =>
    Promise.resolve(Response.json(status, { status: 202, headers }));
  const client = new QuireQueryClient({ baseUrl: 'http://quire.test', clock, fetch });
  return { clock, cursor: await client.start('SELECT 1') };
}

test.each<[string, (cursor: GrowingCursor, signal: AbortSignal) => Promise<unknown>]>([
  ['its pages', (cursor, signal) => cursor.pages({ signal }).next()],
  ['its end', (cursor, signal) => cursor.result({ signal })],
  ['its document', (cursor, signal) => cursor.download({ format: 'csv', signal }).next()],
])(
  'a running query throws the reason of an abort also while it waits for %s',
  async (_what, wait) => {
    const { clock, cursor } = await startQuery();
    const aborter = new AbortController();
    const waiting = wait(cursor, aborter.signal).catch((error: unknown) => error);
    await clock.pausing;
    const reason = new Error('enough');
    aborter.abort(reason);
    expect(await waiting).toBe(reason);
  },
);
