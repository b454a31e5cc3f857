import { expect, test, vi } from 'vitest';
import { writeExactJson } from '../src/index.ts';

test('the sign of -0 and all digits of a bigint are written, the rest as JSON.stringify writes it', () => {
  const value = { zeros: [-0, 0], long: 2n ** 64n, none: undefined, text: '-0', number: 0.5 };
  expect(writeExactJson(value)).toBe(
    '{"zeros":[-0,0],"long":18446744073709551616,"text":"-0","number":0.5}',
  );
});

test('a runtime without JSON.rawJSON writes -0 as 0', () => {
  vi.stubGlobal('JSON', { stringify: JSON.stringify });
  try {
    expect(writeExactJson([-0, 1])).toBe('[0,1]');
  } finally {
    vi.unstubAllGlobals();
  }
});
