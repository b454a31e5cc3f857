import type { TableConfig } from '../config/table-config.ts';
import { type Finding, sortFindings } from '../finding.ts';
import type { TableSchema } from '../schema/table-schema.ts';
import { assignmentRules, quotaRules, routingRules, tenantRules, tierRules } from './cluster-rules.ts';
import { batchRules, ingestionRules } from './ingestion-rules.ts';
import { columnsOf } from './columns.ts';
import { engineRules } from './engine-rules.ts';
import { expressionRules } from './expression-rules.ts';
import { indexRules, starTreeRules } from './index-rules.ts';
import { indexTypeRules } from './index-type-rules.ts';
import { nameRules } from './name-rules.ts';
import type { CheckedSchema, CheckedTable, ClusterContext, Rule, SchemaRule, TableRule } from './rule.ts';
import { schemaColumnRules } from './schema-column-rules.ts';
import { schemaExpressionRules } from './schema-expression-rules.ts';
import { schemaTimeRules } from './schema-time-rules.ts';
import { segmentRules, timeColumnRules } from './segment-rules.ts';
import { streamRules } from './stream-rules.ts';
import { taskOptionRules, taskRules } from './task-rules.ts';
import { dedupRules, upsertRules } from './upsert-rules.ts';

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

/** Every rule about schemas. */
export const schemaRules: readonly SchemaRule[] = [...schemaColumnRules, ...schemaTimeRules, ...schemaExpressionRules];

/** Every rule about table configs. */
export const tableRules: readonly TableRule[] = [
  ...nameRules,
  ...timeColumnRules,
  ...segmentRules,
  ...ingestionRules,
  ...batchRules,
  ...expressionRules,
  ...indexRules,
  ...indexTypeRules,
  ...starTreeRules,
  ...upsertRules,
  ...dedupRules,
  ...routingRules,
  ...assignmentRules,
  ...tierRules,
  ...taskRules,
  ...taskOptionRules,
  ...tenantRules,
  ...streamRules,
  ...quotaRules,
  ...engineRules,
];

/** The list of all rules in Markdown, a section for each subject: what stands in VALIDATION.md. */
export function renderRuleList(): string {
  const rules = [...schemaRules, ...tableRules];
  const subjects = [...new Set(rules.map(({ subject }) => subject))];
  const sections = subjects.map((subject) => {
    const lines = rules
      .filter((rule) => rule.subject === subject)
      .map(({ code, severity, description }) => `| \`${code}\` | ${severity} | ${description.replaceAll('|', '\\|')} |`);
    const title = `${subject.slice(0, 1).toUpperCase()}${subject.slice(1)}`;
    return `## ${title}\n\n| Code | Severity | What must hold |\n| --- | --- | --- |\n${lines.join('\n')}\n`;
  });
  return sections.join('\n');
}
