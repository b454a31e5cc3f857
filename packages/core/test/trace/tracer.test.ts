import { expect, test } from 'vitest';
import { RecordingTracer } from '../../src/testing/index.ts';
import {
  activeTracer,
  continueTrace,
  installTracer,
  runInSpan,
  startSpan,
  traced,
  tracedItems,
  tracedSync,
  traceHeaders,
} from '../../src/trace/index.ts';

async function* numbers(): AsyncGenerator<number> {
  yield 1;
  yield 2;
}

test('without a tracer, work runs as it is: no span is made, and items are those that were given', async () => {
  const items = numbers();
  expect(activeTracer()).toBeUndefined();
  expect(startSpan('work')).toBeUndefined();
  expect(traceHeaders()).toBeUndefined();
  expect(tracedItems('items', items)).toBe(items);
  expect(tracedSync('sync', () => 1)).toBe(1);
  expect(runInSpan(undefined, () => 2)).toBe(2);
  expect(continueTrace({ traceparent: 'far' }, () => 3)).toBe(3);
  const promise = Promise.resolve(4);
  expect(traced('async', () => promise)).toBe(promise);
});

test('a span is part of the one that is current where it starts, and ends with its work', async () => {
  const tracer = new RecordingTracer();
  using _installed = installTracer(tracer);
  await traced('outer', async (span) => {
    span?.set({ rows: 1 });
    await traced('inner', async () => tracedSync('deep', () => undefined));
    expect(traceHeaders()).toEqual({ traceparent: 'outer' });
  });
  expect(tracer.lines).toEqual([
    'outer in none',
    'outer {"rows":1}',
    'inner in outer',
    'deep in inner',
    'deep ends',
    'inner ends',
    'outer ends',
  ]);
});

test('a span of work that fails says so, and the failure is passed on', async () => {
  const tracer = new RecordingTracer();
  using _installed = installTracer(tracer);
  const failure = new Error('no');
  const fail = (): never => {
    throw failure;
  };
  await expect(traced('async', async () => fail())).rejects.toBe(failure);
  expect(() => tracedSync('sync', fail)).toThrow(failure);
  async function* broken(): AsyncGenerator<number> {
    yield 1;
    fail();
  }
  await expect(Array.fromAsync(tracedItems('items', broken()))).rejects.toBe(failure);
  expect(tracer.lines.filter((line) => line.includes('fails'))).toEqual([
    'async fails: no',
    'sync fails: no',
    'items fails: no',
  ]);
});

test('items are made within their span, which ends when their reader leaves, and their source with it', async () => {
  const tracer = new RecordingTracer();
  using _installed = installTracer(tracer);
  async function* source(): AsyncGenerator<number> {
    try {
      tracedSync('making', () => undefined);
      yield* numbers();
    } finally {
      tracer.lines.push('source closed');
    }
  }
  for await (const item of tracedItems('items', source())) {
    tracedSync(`reading ${item}`, () => undefined);
    break;
  }
  expect(tracer.lines).toEqual([
    'items in none',
    'making in items',
    'making ends',
    'reading 1 in none',
    'reading 1 ends',
    'source closed',
    'items ends',
  ]);
});

test('a call to another server has a span only as a part of another one', async () => {
  const tracer = new RecordingTracer();
  using _installed = installTracer(tracer);
  const client = { kind: 'client' } as const;
  expect(startSpan('probe', client)).toBeUndefined();
  expect(await traced('probe', async (span) => span, client)).toBeUndefined();
  continueTrace({ traceparent: 'far' }, () => startSpan('call', client)?.end());
  expect(tracer.lines).toEqual(['call in far', 'call ends']);
});

test('a tracer that is disposed gives way to the one before it', () => {
  const [first, second] = [new RecordingTracer(), new RecordingTracer()];
  using _first = installTracer(first);
  {
    using _second = installTracer(second);
    expect(activeTracer()).toBe(second);
  }
  expect(activeTracer()).toBe(first);
});
