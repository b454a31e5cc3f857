import { expressionRules } from './expression-rules.ts';
import { indexRules } from './index-rules.ts';
import { ingestionRules } from './ingestion-rules.ts';
import { nameRules } from './name-rules.ts';
import { quotaRules, taskRules, tenantRules, tierRules } from './operation-rules.ts';
import type { SchemaRule, TableRule } from './rule.ts';
import { schemaColumnRules } from './schema-column-rules.ts';
import { schemaExpressionRules } from './schema-expression-rules.ts';
import { schemaTimeRules } from './schema-time-rules.ts';
import { segmentRules, timeColumnRules } from './segment-rules.ts';
import { starTreeRules } from './star-tree-rules.ts';
import { streamRules } from './stream-rules.ts';
import { dedupRules, upsertRules } from './upsert-rules.ts';

/** Every rule about schemas. */
export const schemaRules: readonly SchemaRule[] = [...schemaColumnRules, ...schemaTimeRules, ...schemaExpressionRules];

/** Every rule about table configs. */
export const tableRules: readonly TableRule[] = [
  ...nameRules,
  ...timeColumnRules,
  ...segmentRules,
  ...ingestionRules,
  ...expressionRules,
  ...indexRules,
  ...starTreeRules,
  ...upsertRules,
  ...dedupRules,
  ...tierRules,
  ...taskRules,
  ...tenantRules,
  ...streamRules,
  ...quotaRules,
];
