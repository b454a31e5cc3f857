import { setTimeout } from 'node:timers/promises';
import { readFamilyMemory } from '../process/process-memory.ts';
import { QuireServer, type QuireServerOptions } from '../quire/quire-server.ts';

/** The measurements of one start. */
export interface Start {
  /** Until it listened. */
  readonly elapsedMs: number;
  /** The resident memory of all its processes, after a rest. */
  readonly megabytes: number;
}

/** Starts a server, lets it rest, and stops it. */
export async function measureStart(options: QuireServerOptions, restMs: number): Promise<Start> {
  const startMs = performance.now();
  await using server = await QuireServer.start(options);
  const elapsedMs = performance.now() - startMs;
  await setTimeout(restMs);
  return { elapsedMs, megabytes: (await readFamilyMemory(server.pid)) / 1_000_000 };
}
