import { QuireError } from '@quire/core';
import { csvPropertyOf } from './formats/csv-options.ts';

/** The members of a batch config that have an own meaning. */
export const batchMembers: readonly string[] = [
  'inputDirURI',
  'outputDirURI',
  'stagingDirURI',
  'includeFileNamePattern',
  'excludeFileNamePattern',
  'inputFormat',
  'overwriteOutput',
  'searchRecursively',
];

/** The prefixes of options that are passed to a plug-in. */
export const batchMemberPrefixes: readonly string[] = [
  'input.fs.',
  'output.fs.',
  'recordReader.',
  'segmentNameGenerator.',
  'push.',
  'batch.',
  'fs.',
  'append.',
];

export function isBatchMember(name: string): boolean {
  return (
    batchMembers.includes(name) || batchMemberPrefixes.some((prefix) => name.startsWith(prefix))
  );
}

/**
 * Checks the names of all members of a batch config that was written for one call. In the config of
 * a table an unknown one is a finding, because it may come from another system.
 *
 * @throws INVALID_PARAMETER when one is unknown
 */
export function assertBatchMembers(
  batchConfig: Readonly<Record<string, unknown>>,
  parameter: string,
): void {
  const unknown = Object.keys(batchConfig).find((name) => !isBatchMember(name));
  if (unknown === undefined) return;
  const expected =
    csvPropertyOf(unknown) ??
    `inputFormat, or a name that starts with ${batchMemberPrefixes.join(', ')}`;
  throw new QuireError(
    'INVALID_PARAMETER',
    `${parameter} has an unknown member '${unknown.slice(0, 60)}'; expected ${expected}.`,
  );
}
