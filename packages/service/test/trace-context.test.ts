import { describe, expect, test } from 'vitest';
import { parseTraceparent } from '../src/trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('traceparent', () => {
  test.each([
    ['of today', `00-${traceId}-${spanId}-01`],
    ['that is not sampled', `00-${traceId}-${spanId}-00`],
    ['with blanks around it', ` 00-${traceId}-${spanId}-01 `],
    ['of a later version', `01-${traceId}-${spanId}-01`],
    ['of a later version with more members', `cc-${traceId}-${spanId}-01-what-comes`],
  ])('a header %s names the trace and the span', (_, header) => {
    expect(parseTraceparent(header)).toEqual({ trace_id: traceId, span_id: spanId });
  });

  test.each([
    ['is empty', ''],
    ['has an unknown version ff', `ff-${traceId}-${spanId}-01`],
    ['has more than version 00 has', `00-${traceId}-${spanId}-01-more`],
    ['has a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['has a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['is in upper case', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['has a short trace', `00-${traceId.slice(1)}-${spanId}-01`],
    ['is given twice', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ])('a header that %s counts as missing', (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});
