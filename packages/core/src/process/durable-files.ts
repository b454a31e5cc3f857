import { platform } from 'node:os';
import { QuireError } from '../errors.ts';

/**
 * Refuses a directory for files that must outlive a power failure where the system cannot promise
 * that.
 *
 * Windows cannot flush a directory, so that a file that was renamed into place may lose its name,
 * and it refuses to replace a file that is open.
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
    `${path} is to hold ${what}, which Windows cannot keep durably: it has no way to flush a directory. Run this in WSL or a container; on ` +
      'Windows itself keep results in a bucket or in memory (engine.broker.pagination.protocol).',
  );
}
