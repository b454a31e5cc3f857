import type { CheckedTable } from './rule.ts';

/**
 * Reports whether rows of a table replace earlier ones with their key: an upsertConfig does so in
 * the modes FULL and PARTIAL.
 */
export function isUpsertOn({ upsertConfig }: CheckedTable['config']): boolean {
  return upsertConfig !== undefined && (upsertConfig.mode ?? 'FULL') !== 'NONE';
}

/**
 * Reports whether rows of a table are dropped if their key exists already: a dedupConfig does so
 * unless it is disabled.
 */
export function isDedupOn({ dedupConfig }: CheckedTable['config']): boolean {
  return dedupConfig !== undefined && dedupConfig.dedupEnabled !== false;
}

/** Reports whether rows of a table replace or drop each other by their keys. */
export function hasKeys(config: CheckedTable['config']): boolean {
  return isUpsertOn(config) || isDedupOn(config);
}
