import { type Clock, QuireError } from '@quire/core';
import type { TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import { parseTableConfig } from '../config/table-config.ts';
import { parseTableSchema } from '../config/table-schema.ts';
import { type Finding, nestFindings, sortFindings } from '../finding.ts';
import { checkPipeline } from '../pipeline/plan-pipeline.ts';
import { validateTableConfig, validateTableSchema } from './validate.ts';

/** The context of the validation of a table config. */
export interface DocumentContext {
  readonly schema: TableSchemaDocument;
  /** The config of the other half, if there is one. */
  readonly otherConfig: TableConfigDocument | undefined;
  /** The tenants of the cluster; if omitted, tenants are not checked. */
  readonly tenants?: readonly string[];
  readonly taskTypes: readonly string[];
  readonly clock: Clock;
}

/** Returns all findings of the rules about a schema. */
export function findingsOfSchema(document: TableSchemaDocument): readonly Finding[] {
  const { schema, findings } = parseTableSchema(document);
  return [...findings, ...validateTableSchema(schema)];
}

/** Returns all findings of the rules about a table config and its pipeline. */
export function findingsOfTable(
  document: TableConfigDocument,
  { schema: schemaDocument, otherConfig, tenants, taskTypes, clock }: DocumentContext,
): readonly Finding[] {
  const { config, findings } = parseTableConfig(document);
  const { schema } = parseTableSchema(schemaDocument);
  const context = {
    schema,
    taskTypes,
    ...(tenants !== undefined && { brokerTenants: tenants, serverTenants: tenants }),
    ...(otherConfig !== undefined && { otherConfig: parseTableConfig(otherConfig).config }),
  };
  const checked = [...findings, ...validateTableConfig(config, context)];
  const isReported = ({ path }: Finding): boolean =>
    checked.some((each) => each.severity === 'error' && each.path.startsWith(path));
  const planned = checkPipeline({ config, schema, clock }).filter((each) => !isReported(each));
  return [...checked, ...planned];
}

/**
 * Returns the findings, sorted, if none of them is an error.
 *
 * @param what the document, as the subject of a sentence
 * @throws TABLE_INVALID with all findings otherwise
 */
export function assertNoErrors(what: string, found: readonly Finding[]): readonly Finding[] {
  const findings = sortFindings(nestFindings(found, ''));
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return findings;
  const others = errors.length - 1;
  const more = others === 0 ? '' : ` ${others} more ${others === 1 ? 'error' : 'errors'} found.`;
  throw new QuireError(
    'TABLE_INVALID',
    `${what} is not valid: ${first.path}: ${first.message}${more}`,
    { findings },
  );
}
