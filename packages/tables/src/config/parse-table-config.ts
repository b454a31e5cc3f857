import type { Finding } from '../finding.ts';
import { completeModel } from '../model/complete-model.ts';
import { readModel } from '../model/read-model.ts';
import { TableConfig } from './table-config.ts';

/** A table config as somebody wrote it, read by its model. */
export interface ParsedTableConfig {
  /** What fits the model; members that it does not have are kept. */
  readonly config: TableConfig;
  /** Everything that does not fit: wrong types and unknown words. Rules are another thing: `validateTableConfig`. */
  readonly findings: readonly Finding[];
  /** Members that the model does not have, by JSON pointer. */
  readonly unrecognizedProperties: Readonly<Record<string, unknown>>;
}

/** Reads a table config; never throws, and finds everything that does not fit, not only the first (SPECIFICATION.md section 2.4). */
export function parseTableConfig(value: unknown): ParsedTableConfig {
  const read = readModel(TableConfig, value);
  return {
    config: read.value ?? {},
    findings: read.findings,
    unrecognizedProperties: read.unrecognizedProperties,
  };
}

/** A table config with every member of the specification's tables; null where there is neither a value nor a default. */
export type CompleteTableConfig = { readonly [Member in keyof TableConfig]-?: unknown };

/** The same config with its full set of members, as the answer of a preview carries it (SPECIFICATION.md section 4.3). The meaning stays. */
export function completeTableConfig(config: TableConfig): CompleteTableConfig {
  return completeModel(TableConfig, config) as CompleteTableConfig;
}
