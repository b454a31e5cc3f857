import { setTimeout } from 'node:timers/promises';
import { readProcessMemory } from '../process/process-memory.ts';
import { QuireServer, type QuireServerOptions } from '../quire/quire-server.ts';

/** How one start went. */
export interface Start {
  /** Until it listened. */
  readonly elapsedMs: number;
  /** Resident memory, once it had rested. */
  readonly megabytes: number;
}

/** Starts a server, lets it rest, and stops it. */
export async function measureStart(options: QuireServerOptions, restMs: number): Promise<Start> {
  const startMs = performance.now();
  await using server = await QuireServer.start(options);
  const elapsedMs = performance.now() - startMs;
  await setTimeout(restMs);
  const { residentBytes } = await readProcessMemory(server.pid);
  return { elapsedMs, megabytes: residentBytes / 1_000_000 };
}
