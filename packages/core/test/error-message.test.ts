import { QuireError } from '../src/index.ts';
import { expect, test } from 'vitest';
import { decodeError, encodeError } from '../src/process/error-message.ts';

test('an error of a worker keeps what callers and admins may read of it', () => {
  const error = new QuireError('UNEXPECTED_RESPONSE', 'The answer is not that of a controller.', {
    isForCallers: true,
    adminHint: 'The address is http://pinot:9000.',
    exceptionNumber: 427,
    cause: new Error('HTTP 404'),
  });
  const decoded = decodeError(structuredClone(encodeError(error)));
  expect(decoded).toMatchObject({
    code: 'UNEXPECTED_RESPONSE',
    message: 'The answer is not that of a controller.',
    isForCallers: true,
    adminHint: 'The address is http://pinot:9000.',
    exceptionNumber: 427,
    cause: expect.objectContaining({ message: 'HTTP 404' }),
  });
  const plain = new QuireError('UNEXPECTED_RESPONSE', 'internal');
  expect(decodeError(structuredClone(encodeError(plain))).isForCallers).toBe(false);
});
