import { expect, test } from 'vitest';
import { assertDurableFiles } from '../src/process/index.ts';

test.each(['linux', 'darwin', 'freebsd'] as const)('files may be kept on %s', (platform) => {
  expect(() => assertDurableFiles('results', '/data/results', platform)).not.toThrow();
});

test('on Windows a directory for results is refused, with the place, the reason and what to do', () => {
  const refused = expect.objectContaining({
    code: 'UNSUPPORTED',
    message:
      'C:\\results must hold results, which Windows cannot keep durably: it has no way to flush a directory. Run this in WSL or a container; ' +
      'on Windows itself keep results in a bucket or in memory (engine.broker.pagination.protocol).',
  }) as Error;
  expect(() => assertDurableFiles('results', 'C:\\results', 'win32')).toThrow(refused);
});
