import { expect, test } from 'vitest';
import { assertDurableFiles } from '../src/process/index.ts';

test.each(['linux', 'darwin', 'freebsd'] as const)('files may be kept on %s', (platform) => {
  expect(() => assertDurableFiles('results', '/data/results', platform)).not.toThrow();
});

test('on Windows a directory for results is refused, with the path, the reason and the remedy', () => {
  const refused = expect.objectContaining({
    code: 'UNSUPPORTED',
    message:
      'C:\\results is for results, which Windows cannot store durably, because it cannot flush a directory. Run this in WSL or a container, ' +
      'or store results in a bucket or in memory (engine.broker.pagination.protocol).',
  }) as Error;
  expect(() => assertDurableFiles('results', 'C:\\results', 'win32')).toThrow(refused);
});
