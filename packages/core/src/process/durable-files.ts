import { platform } from 'node:os';
import { QuireError } from '../errors.ts';

/**
 * Rejects a directory for durable files on systems that cannot make files durable.
 *
 * Windows cannot flush a directory, so a renamed file may lose its name in a power failure, and it
 * refuses to replace an open file.
 *
 * @throws UNSUPPORTED on Windows
 */
export function assertDurableFiles(
  what: string,
  path: string,
  system: NodeJS.Platform = platform(),
): void {
  if (system !== 'win32') return;
  throw new QuireError(
    'UNSUPPORTED',
    `${path} is for ${what}, which Windows cannot store durably, because it cannot flush a directory. Run this in WSL or a container, ` +
      'or store results in a bucket or in memory (engine.broker.pagination.protocol).',
  );
}
