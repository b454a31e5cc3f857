import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { QuireError } from '@quire/core';
import type { Environment } from '../environment.ts';

type Variables = Environment['variables'];

const samplers: Readonly<Record<string, (variables: Variables) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (variables) => new TraceIdRatioBasedSampler(ratioOf(variables)),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (variables) =>
    new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratioOf(variables)) }),
};

/**
 * Returns the sampler in `OTEL_TRACES_SAMPLER`, with the names of the OpenTelemetry specification;
 * by default every trace is recorded unless its caller has decided otherwise.
 *
 * @throws INVALID_SETTING when there is no such sampler, or its ratio is not valid
 */
export function samplerOf(variables: Variables): Sampler {
  const name = variables['OTEL_TRACES_SAMPLER'] ?? 'parentbased_always_on';
  const create = samplers[name];
  if (create !== undefined) return create(variables);
  throw new QuireError(
    'INVALID_SETTING',
    `OTEL_TRACES_SAMPLER = ${name} is not supported; expected one of ${Object.keys(samplers).join(', ')}.`,
  );
}

function ratioOf(variables: Variables): number {
  const text = variables['OTEL_TRACES_SAMPLER_ARG'] ?? '1';
  const ratio = text.trim() === '' ? NaN : Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new QuireError(
    'INVALID_SETTING',
    `OTEL_TRACES_SAMPLER_ARG = ${text} is not a ratio; expected a number from 0 to 1.`,
  );
}

/** Returns the value of a variable. @throws INVALID_SETTING when it is not a whole number */
export function wholeNumberOf(variables: Variables, name: string, byDefault: number): number {
  const text = variables[name];
  if (text === undefined || text === '') return byDefault;
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new QuireError(
    'INVALID_SETTING',
    `${name} = ${text} is not valid; expected a whole number of at least 1.`,
  );
}
