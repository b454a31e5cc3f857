import { quoteLiteral } from '../conversion/column-plan.ts';

/** A step of a plan in the JSON of DuckDB's `EXPLAIN`, with or without `ANALYZE`. */
interface PlanStep {
  readonly name?: string;
  readonly operator_name?: string;
  readonly operator_cardinality?: number;
  /** In seconds. */
  readonly operator_timing?: number;
  readonly children: readonly PlanStep[];
  readonly extra_info?: Readonly<Record<string, string | readonly string[]>>;
}

/** The members of a step that are shown: others may contain paths. */
const planKeys = [
  'Join Type',
  'Conditions',
  'Expression',
  'Filters',
  'Groups',
  'Aggregates',
  'Projections',
  'Order By',
  'Top',
];

/**
 * Returns a query whose rows are the steps of a plan, in Apache Pinot's columns for them: each step
 * with its number and that of its parent. With `isTimed`, the rows also contain the number of rows
 * of each step, and its duration in milliseconds.
 */
export function planQuery(plan: string, { isTimed = false } = {}): string {
  const rows: string[] = [];
  const steps = stepsOf(plan).map((step) => ({ step, parent: -1 }));
  for (let next = steps.shift(); next !== undefined; next = steps.shift()) {
    const { step, parent } = next;
    const id = rows.length;
    const counts = `, CAST(${step.operator_cardinality ?? 0} AS BIGINT), CAST(${1000 * (step.operator_timing ?? 0)} AS DOUBLE)`;
    rows.push(`(${quoteLiteral(textOf(step))}, ${id}, ${parent}${isTimed ? counts : ''})`);
    steps.unshift(...step.children.map((child) => ({ step: child, parent: id })));
  }
  const columns = `"Operator", "Operator_Id", "Parent_Id"${isTimed ? ', "Rows", "Time_Ms"' : ''}`;
  if (rows.length > 0) return `SELECT * FROM (VALUES ${rows.join(', ')}) AS plan(${columns})`;
  const none = `('', 0, 0${isTimed ? ', CAST(0 AS BIGINT), CAST(0 AS DOUBLE)' : ''})`;
  return `SELECT * FROM (VALUES ${none}) AS plan(${columns}) LIMIT 0`;
}

/** Returns the top-level steps of a plan, below the records that describe a whole run. */
function stepsOf(plan: string): readonly PlanStep[] {
  const parsed = JSON.parse(plan) as readonly PlanStep[] | PlanStep;
  let steps = Array.isArray(parsed) ? (parsed as readonly PlanStep[]) : [parsed as PlanStep];
  while (steps.length > 0 && steps.every((step) => isRecord(step))) {
    steps = steps.flatMap(({ children }) => children);
  }
  return steps;
}

function isRecord({ name, operator_name: operator }: PlanStep): boolean {
  return name === undefined && (operator === undefined || operator.trim() === 'EXPLAIN_ANALYZE');
}

function textOf({ name, operator_name: operator, extra_info: details = {} }: PlanStep): string {
  const parts = planKeys.flatMap((key) => {
    const value = details[key];
    return value === undefined
      ? []
      : `${key}: ${typeof value === 'string' ? value.replaceAll('\n', ', ') : value.join(', ')}`;
  });
  const title = (name ?? operator ?? '').trim();
  return parts.length === 0 ? title : `${title}(${parts.join('; ')})`;
}
