import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import type { PinotAddress } from '../testkit/servers/pinot-server.ts';

/** The servers that the suites of this folder share. */
export interface SharedServers {
  /** Null where it is missing: the suites are skipped then. */
  readonly pinot: PinotAddress | null;
  /** Port of an Apache Kafka on this machine; null where it is missing. */
  readonly kafkaPort: number | null;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Sends their addresses to each connection, once they have started. */
    readonly sharedServersPort: number;
  }
}

/**
 * One Apache Pinot and one Apache Kafka for all suites of this folder, which take tables and topics
 * of their own. A separate process, which resolves the packages to their sources as this one does
 * not, starts them when the first suite requests them, so that nothing else waits.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const program = join(import.meta.dirname, 'cluster.process.ts');
  const child = spawn(process.execPath, ['--conditions=@quire/source', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [unknown];
  if (typeof line !== 'string') {
    throw new Error('The process that starts Apache Pinot and Apache Kafka has ended.');
  }
  provide('sharedServersPort', Number(line));
  return async () => {
    child.stdin.end();
    await ended;
  };
}
