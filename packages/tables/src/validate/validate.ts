import type { TableConfig } from '../config/table-config.ts';
import type { Finding } from '../finding.ts';
import { sortFindings } from '../finding-order.ts';
import type { TableSchema } from '../schema/table-schema.ts';
import { columnsOf } from './columns.ts';
import type { CheckedSchema, CheckedTable, Rule, ClusterContext } from './rule.ts';
import { schemaRules, tableRules } from './rules.ts';

/** What a table config is checked against besides itself. */
export interface TableContext extends ClusterContext {
  /** Left out: rules that need the schema hold. */
  readonly schema?: TableSchema;
}

/** Every rule about schemas that this one breaks, in order; paths point into the schema. Pure. */
export function validateTableSchema(schema: TableSchema): readonly Finding[] {
  return check(schemaRules, checkedSchemaOf(schema));
}

/** Every rule about table configs that this one breaks, in order; paths point into the config. Pure. */
export function validateTableConfig(config: TableConfig, context: TableContext = {}): readonly Finding[] {
  const { schema, ...cluster } = context;
  const checked: CheckedTable = { config, schema: schema === undefined ? undefined : checkedSchemaOf(schema), cluster };
  return check(tableRules, checked);
}

function checkedSchemaOf(schema: TableSchema): CheckedSchema {
  return { schema, columns: columnsOf(schema) };
}

function check<Checked>(rules: readonly Rule<Checked>[], checked: Checked): readonly Finding[] {
  const findings = rules.flatMap(({ code, severity, check: findFaults }) =>
    Array.from(findFaults(checked), ({ path, message }): Finding => ({ path, code, message, severity })),
  );
  return sortFindings(findings);
}
