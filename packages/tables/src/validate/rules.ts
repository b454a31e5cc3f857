import { assignmentRules } from './assignment-rules.ts';
import { batchRules } from './batch-rules.ts';
import { engineRules } from './engine-rules.ts';
import { expressionRules } from './expression-rules.ts';
import { indexRules } from './index-rules.ts';
import { indexTypeRules } from './index-type-rules.ts';
import { ingestionRules } from './ingestion-rules.ts';
import { nameRules } from './name-rules.ts';
import { requiredRules } from './required-rules.ts';
import { quotaRules, taskRules, tenantRules, tierRules } from './operation-rules.ts';
import type { SchemaRule, TableRule } from './rule.ts';
import { schemaColumnRules } from './schema-column-rules.ts';
import { schemaExpressionRules } from './schema-expression-rules.ts';
import { schemaTimeRules } from './schema-time-rules.ts';
import { segmentRules, timeColumnRules } from './segment-rules.ts';
import { starTreeRules } from './star-tree-rules.ts';
import { streamRules } from './stream-rules.ts';
import { taskOptionRules } from './task-option-rules.ts';
import { dedupRules, upsertRules } from './upsert-rules.ts';

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
  ...requiredRules,
  ...assignmentRules,
  ...tierRules,
  ...taskRules,
  ...taskOptionRules,
  ...tenantRules,
  ...streamRules,
  ...quotaRules,
  ...engineRules,
];
