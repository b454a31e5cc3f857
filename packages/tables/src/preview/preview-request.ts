import type { TableConfig } from '../config/table-config.ts';
import type { Finding } from '../finding.ts';
import { isRecord } from '../model/model-schema.ts';
import type { TableSchema } from '../schema/table-schema.ts';
import { parsePreviewObject, type PreviewObject } from './preview-object.ts';

/** A config or a schema, and where the request has it. */
export interface Given<Value> {
  readonly value: Value;
  /** JSON pointer into the request. */
  readonly path: string;
}

/** What somebody wants previewed. */
export interface PreviewRequest {
  /** All but rows, which are many: they are read one by one. */
  readonly preview: PreviewObject;
  readonly sourceRows: readonly unknown[];
  readonly config: Given<TableConfig> | undefined;
  readonly schema: Given<TableSchema> | undefined;
  /** The other half of a table that is filled from files and from a stream. */
  readonly otherConfig: Given<TableConfig> | undefined;
  readonly findings: readonly Finding[];
  readonly unrecognizedProperties: Readonly<Record<string, unknown>>;
}

/**
 * Reads the body of a preview; never throws. Of a config and a schema, the ones at the top go before those in `tableConfigs`; of
 * the two halves of a table, the one that is filled from files is previewed.
 */
export function readPreviewRequest(body: unknown): PreviewRequest {
  const { sourceRows, rows: _rows, summary: _summary, ...rest } = isRecord(body) ? body : {};
  const { preview, findings, unrecognizedProperties } = parsePreviewObject(rest);
  const { tableConfig, schema, tableConfigs } = preview;
  const configs = [
    given(tableConfig, '/tableConfig'),
    given(tableConfigs?.offline, '/tableConfigs/offline'),
    given(tableConfigs?.realtime, '/tableConfigs/realtime'),
  ].filter((config) => config !== undefined);
  const problem: Finding = {
    path: '/sourceRows',
    code: 'WRONG_TYPE',
    severity: 'error',
    message: 'Expected a list of rows.',
  };
  const isList = Array.isArray(sourceRows);
  const other = tableConfigs?.realtime === undefined ? undefined : given(tableConfigs.realtime, '/tableConfigs/realtime');
  return {
    preview,
    sourceRows: isList ? (sourceRows as readonly unknown[]) : [],
    config: configs[0],
    schema: given(schema, '/schema') ?? given(tableConfigs?.schema, '/tableConfigs/schema'),
    otherConfig: configs[0]?.path === '/tableConfigs/offline' ? other : undefined,
    findings: isList || sourceRows === undefined || sourceRows === null ? findings : [...findings, problem],
    unrecognizedProperties,
  };
}

function given<Value>(value: Value | undefined, path: string): Given<Value> | undefined {
  return value === undefined ? undefined : { value, path };
}
