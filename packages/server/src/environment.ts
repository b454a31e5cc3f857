import type { Clock, Random } from '@quire/core';

/** What a server takes from the process that it runs in. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** What relative paths are relative to. */
  readonly directory: string;
  readonly clock: Clock;
  readonly random: Random;
}
