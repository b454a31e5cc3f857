import { expect, test } from 'vitest';
import { timeOfBlock, blockId } from '../src/block-id.ts';
import { requestFailures } from '../src/errors.ts';

/** Creates an error like those of the SDK. */
function refused(statusCode: number, errorCode?: string): Error {
  return Object.assign(new Error('No.\nRequestId:1'), { statusCode, details: { errorCode } });
}

test.each([
  ['get', refused(404, 'BlobNotFound'), 'OBJECT_NOT_FOUND'],
  ['head', refused(404), 'OBJECT_NOT_FOUND'],
  ['get', refused(404, 'ContainerNotFound'), 'STORE_MISCONFIGURED'],
  ['list', refused(404), 'STORE_MISCONFIGURED'],
  ['get', refused(416, 'InvalidRange'), 'OBJECT_SHORT_READ'],
  ['get', new RangeError('The response has no valid etag'), 'OBJECT_SHORT_READ'],
  ['link', new RangeError('Can only generate the SAS with a key'), 'STORE_MISCONFIGURED'],
  ['put', refused(413, 'RequestBodyTooLarge'), 'STORE_FULL'],
  ['put', refused(400, 'InvalidBlockList'), 'STORE_MISCONFIGURED'],
  ['list', refused(403, 'AuthenticationFailed'), 'STORE_MISCONFIGURED'],
  ['delete', refused(429), 'STORE_UNAVAILABLE'],
  ['list', refused(503, 'ServerBusy'), 'STORE_UNAVAILABLE'],
  ['list', new Error('connect ECONNREFUSED'), 'STORE_UNAVAILABLE'],
] as const)('%s that fails with %s is %s', (op, error, code) => {
  const failure = requestFailures.translate(error, { op, key: 'k', location: 'az://results/x' });
  expect(failure).toMatchObject({
    code,
    message: expect.stringContaining('az://results/x') as string,
  });
  expect(failure.message).not.toContain('RequestId');
});

test('the id of a block says when it was sent, and is as long as any other', () => {
  const tag = new Uint8Array(8).fill(255);
  const ids = [1, 49_999].map((number) => blockId({ timeMs: 1_700_000_000_000, tag, number }));
  expect(ids.map(timeOfBlock)).toEqual([1_700_000_000_000, 1_700_000_000_000]);
  expect(new Set(ids.map(({ length }) => length)).size).toBe(1);
  expect(timeOfBlock(Buffer.from('block-1').toString('base64'))).toBeUndefined();
});
