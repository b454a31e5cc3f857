import type { Finding } from '../finding.ts';
import { completeModel } from '../model/complete-model.ts';
import { readModel } from '../model/read-model.ts';
import { TableSchema } from './table-schema.ts';

/** A schema as somebody wrote it, read by its model. */
export interface ParsedTableSchema {
  /** What fits the model; members that it does not have are kept. */
  readonly schema: TableSchema;
  /** Everything that does not fit: wrong types and unknown words. Rules are another thing: `validateTableSchema`. */
  readonly findings: readonly Finding[];
  /** Members that the model does not have, by JSON pointer. */
  readonly unrecognizedProperties: Readonly<Record<string, unknown>>;
}

/** Reads a schema; never throws, and finds everything that does not fit, not only the first (SPECIFICATION.md section 2.5). */
export function parseTableSchema(value: unknown): ParsedTableSchema {
  const read = readModel(TableSchema, value);
  return {
    schema: read.value ?? {},
    findings: read.findings,
    unrecognizedProperties: read.unrecognizedProperties,
  };
}

/** A schema with every member of the specification's table; null where there is neither a value nor a default. */
export type CompleteTableSchema = { readonly [Member in keyof TableSchema]-?: unknown };

/** The same schema with its full set of members. The meaning stays. */
export function completeTableSchema(schema: TableSchema): CompleteTableSchema {
  return completeModel(TableSchema, schema) as CompleteTableSchema;
}
