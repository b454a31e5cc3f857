import type * as Jose from 'jose';

let jose: Promise<typeof Jose> | undefined;

/** Loads `jose` for the first token or key: servers without such tokens start without it. */
export function loadJose(): Promise<typeof Jose> {
  jose ??= import('jose').catch((error: unknown) => {
    jose = undefined; // the next token tries again
    throw error;
  });
  return jose;
}
