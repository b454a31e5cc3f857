import type { Clock, Random } from '@quire/core';

/** The environment of a server's process. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The directory that relative paths are resolved against. */
  readonly directory: string;
  readonly clock: Clock;
  readonly random: Random;
}
