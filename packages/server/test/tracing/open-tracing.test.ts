import { activeTracer } from '@quire/core/trace';
import { expect, test } from 'vitest';
import { openTracing } from '../../src/tracing/open-tracing.ts';

const parts = { version: '1', logger: { warn: () => undefined } };
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };

test.each([
  [{}],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
])('with the variables %j no spans are recorded', async (variables) => {
  expect(await openTracing(variables, parts)).toBeUndefined();
  expect(activeTracer()).toBeUndefined();
});

test('an endpoint turns traces on until they are disposed', async () => {
  const tracing = await openTracing(endpoint, parts);
  expect(activeTracer()).toBeDefined();
  await tracing?.[Symbol.asyncDispose]();
  expect(activeTracer()).toBeUndefined();
});

test.each([
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /OTEL_EXPORTER_OTLP_PROTOCOL = grpc .* port 4318\.$/],
  ['OTEL_TRACES_SAMPLER', 'jaeger', /OTEL_TRACES_SAMPLER = jaeger .* one of always_on, /],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '0', /OTEL_BSP_MAX_QUEUE_SIZE = 0 .* at least 1\.$/],
])('%s = %s is refused by name', async (name, value, message) => {
  const opening = openTracing({ ...endpoint, [name]: value }, parts);
  await expect(opening).rejects.toMatchObject({
    code: 'INVALID_SETTING',
    message: expect.stringMatching(message) as string,
  });
  expect(activeTracer()).toBeUndefined();
});

test.each(['', '1.5', 'half'])('a ratio of %j is refused', async (ratio) => {
  const sampler = {
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
  };
  await expect(openTracing({ ...endpoint, ...sampler }, parts)).rejects.toThrow(
    'expected a number from 0 to 1.',
  );
});

test.each(['always_on', 'always_off', 'traceidratio', 'parentbased_traceidratio'])(
  'the sampler %s decides by itself or by the caller, as the specification says',
  async (name) => {
    await using _tracing = await openTracing(
      { ...endpoint, OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: '0' },
      parts,
    );
    const flagsOf = (parent: string): string | undefined =>
      activeTracer()
        ?.start('call', {
          parent: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${parent}` },
        })
        .headers.traceparent.slice(-2);
    const expected = {
      always_on: ['01', '01'],
      always_off: ['00', '00'],
      traceidratio: ['00', '00'],
      parentbased_traceidratio: ['00', '01'],
    }[name];
    expect([flagsOf('00'), flagsOf('01')]).toEqual(expected);
  },
);
