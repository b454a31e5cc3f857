import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { Slots } from '@quire/core/wait';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import type { Broker } from '../src/brokers/broker.ts';
import { Exchange, type ExchangeCall } from '../src/forwarding/exchange.ts';

const chunked = { 'transfer-encoding': 'chunked' };

/** The parts of a response that a caller sees. */
class FakeResponse extends EventEmitter {
  status: number | undefined;
  headers: readonly string[] = [];
  text = '';
  isEnded = false;
  destroyed = false;
  /** True if the caller accepts more at once. */
  isReady = true;

  writeHead(status: number, headers: readonly string[]): void {
    this.status = status;
    this.headers = headers;
  }
  write(chunk: Buffer): boolean {
    this.text += chunk.toString();
    return this.isReady;
  }
  end(): void {
    this.isEnded = true;
  }
  destroy(): void {
    this.destroyed = true;
  }
}

/** A call to a broker that behaves as the test says, by undici's own steps. */
function beginExchange(changed: Partial<ExchangeCall> = {}, slots = new Slots(1)) {
  const response = new FakeResponse();
  const clock = new ManualClock();
  const abort = new AbortController();
  const controller = {
    paused: false,
    rawHeaders: [] as readonly Buffer[],
    pause: () => void (controller.paused = true),
    resume: () => void (controller.paused = false),
    abort: (error: Error) => exchange.onResponseError(controller as never, error),
  };
  let callCount = 0;
  const sent: Dispatcher.DispatchOptions[] = [];
  const broker = {
    label: 'Broker_a_1',
    beginCall: () => {
      callCount += 1;
      return () => (callCount -= 1);
    },
    acquireSlot: (signal: AbortSignal) => slots.acquire(signal),
    pool: { dispatch: (options: Dispatcher.DispatchOptions) => sent.push(options) },
  } as unknown as Broker;
  const exchange: Exchange = new Exchange(broker, {
    method: 'GET',
    path: '/query/x/results',
    headers: ['accept', 'text/csv'],
    upload: undefined,
    response: response as unknown as ServerResponse,
    accepts: () => true,
    clock,
    headTimeoutMs: 1000,
    stallTimeoutMs: 100,
    signal: abort.signal,
    ...changed,
  });
  const outcome = exchange.run();
  return {
    response,
    clock,
    abort,
    controller,
    exchange,
    outcome,
    sent,
    callCount: () => callCount,
    slots,
    begin: () => exchange.onRequestStart(controller as never),
    answer: (status: number, headers: Record<string, string>) => {
      controller.rawHeaders = Object.entries(headers)
        .flat()
        .map((part) => Buffer.from(part));
      exchange.onResponseStart(controller as never, status, headers);
    },
    data: (text: string) => exchange.onResponseData(controller as never, Buffer.from(text)),
  };
}

describe('an exchange', () => {
  test('an exchange passes the answer on, chunk by chunk, and counts as a call of the broker meanwhile', async () => {
    const call = beginExchange();
    await call.clock.advance(0);
    call.begin();
    call.answer(200, { 'content-type': 'text/csv', ...chunked });
    call.data('a,');
    call.data('b');
    const during = call.callCount();
    call.exchange.onResponseEnd();
    expect(await call.outcome).toMatchObject({ kind: 'answered', head: { status: 200 } });
    expect(call.sent).toEqual([
      { method: 'GET', path: '/query/x/results', headers: ['accept', 'text/csv'], body: null },
    ]);
    expect(call.response).toMatchObject({ status: 200, text: 'a,b', isEnded: true });
    expect(call.response.headers).toEqual(['content-type', 'text/csv', 'via', '1.1 quire-proxy']);
    expect([during, call.callCount()]).toEqual([1, 0]);
  });

  test('an exchange tells the caller nothing of an answer that is not wanted', async () => {
    const call = beginExchange({ accepts: ({ status }) => status !== 404 });
    call.begin();
    call.answer(404, chunked);
    call.data('no such result');
    call.exchange.onResponseEnd();
    expect(await call.outcome).toMatchObject({ kind: 'declined', head: { status: 404 } });
    expect(call.response).toMatchObject({ status: undefined, text: '', isEnded: false });
  });

  test('an exchange stops the broker while the caller takes nothing, and does not hold that against the broker', async () => {
    const call = beginExchange();
    call.begin();
    call.answer(200, chunked);
    call.response.isReady = false;
    call.data('x');
    expect(call.controller.paused).toBe(true);
    await call.clock.advance(1000);
    call.response.emit('drain');
    expect(call.controller.paused).toBe(false);
    call.exchange.onResponseEnd();
    expect(await call.outcome).toMatchObject({ kind: 'answered' });
  });

  test('an exchange gives the broker its whole time again once the caller reads on', async () => {
    const call = beginExchange();
    call.begin();
    await call.clock.advance(950);
    call.answer(200, chunked);
    call.response.isReady = false;
    call.data('x');
    await call.clock.advance(99);
    call.response.emit('drain');
    await call.clock.advance(99);
    expect(call.response.destroyed).toBe(false);
    await call.clock.advance(1);
    expect(await call.outcome).toMatchObject({ kind: 'broken' });
  });

  test('an exchange gives its slot back when the caller has to be waited for, and at its end in any case', async () => {
    const paused = beginExchange();
    await paused.clock.advance(0);
    paused.begin();
    paused.answer(200, chunked);
    paused.data('x');
    expect(paused.slots.takenCount).toBe(1);
    paused.response.isReady = false;
    paused.data('y');
    expect(paused.slots.takenCount).toBe(0);
    paused.response.emit('drain');
    paused.data('z');
    paused.exchange.onResponseEnd();
    await paused.outcome;
    const ended = beginExchange();
    await ended.clock.advance(0);
    ended.begin();
    ended.answer(200, chunked);
    ended.exchange.onResponseEnd();
    await ended.outcome;
    expect([paused.slots.takenCount, ended.slots.takenCount]).toEqual([0, 0]);
  });

  test('an exchange is sent once it has a slot, and not at all when its caller leaves before', async () => {
    const call = beginExchange({}, new Slots(0));
    await call.clock.advance(0);
    expect(call.sent).toEqual([]);
    call.abort.abort(new QuireError('ABORTED', 'The client is gone.'));
    expect(await call.outcome).toMatchObject({ kind: 'unsent', error: { code: 'ABORTED' } });
    expect([call.sent, call.slots.waitingCount]).toEqual([[], 0]);
  });

  test('an exchange is unsent while it waits for a connection, and unanswered once it was sent', async () => {
    const waiting = beginExchange();
    waiting.exchange.onResponseError(
      waiting.controller as never,
      new Error('connect ECONNREFUSED'),
    );
    const sent = beginExchange();
    sent.begin();
    sent.exchange.onResponseError(sent.controller as never, new Error('other side closed'));
    expect([(await waiting.outcome).kind, (await sent.outcome).kind]).toEqual([
      'unsent',
      'unanswered',
    ]);
  });

  test('an exchange breaks off its own answer where that of the broker breaks off', async () => {
    const call = beginExchange();
    call.begin();
    call.answer(200, chunked);
    call.data('half');
    call.exchange.onResponseError(call.controller as never, new Error('other side closed'));
    expect((await call.outcome).kind).toBe('broken');
    expect(call.response).toMatchObject({ destroyed: true, isEnded: false });
  });

  test('an exchange gives up on a broker that does not begin to answer, and on one that stops in the middle', async () => {
    const silent = beginExchange();
    silent.begin();
    await silent.clock.advance(1000);
    const stalled = beginExchange();
    stalled.begin();
    stalled.answer(200, chunked);
    await stalled.clock.advance(99);
    expect(stalled.response.destroyed).toBe(false);
    await stalled.clock.advance(1);
    expect(stalled.response.destroyed).toBe(true);
    expect(await silent.outcome).toMatchObject({
      kind: 'unanswered',
      error: { code: 'BROKER_TIMED_OUT' },
    });
    expect(await stalled.outcome).toMatchObject({
      kind: 'broken',
      error: { code: 'BROKER_TIMED_OUT' },
    });
  });

  test('an exchange ends when nobody waits for the answer any more', async () => {
    const call = beginExchange();
    call.begin();
    call.abort.abort(new QuireError('ABORTED', 'The client is gone.'));
    expect(await call.outcome).toMatchObject({ kind: 'unanswered', error: { code: 'ABORTED' } });
    expect(call.callCount()).toBe(0);
  });

  test('an exchange takes no answer whose end cannot be told, but where there is no body', async () => {
    const unbounded = beginExchange();
    unbounded.begin();
    expect(() => unbounded.answer(200, {})).toThrow('The end of the answer is not declared');
    const head = beginExchange({ method: 'HEAD' });
    head.begin();
    head.answer(200, {});
    head.exchange.onResponseEnd();
    expect((await head.outcome).kind).toBe('answered');
    unbounded.abort.abort(new QuireError('ABORTED', 'The test is over.'));
    await unbounded.outcome;
  });
});
