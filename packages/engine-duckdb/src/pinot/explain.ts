import { quoteLiteral } from '../conversion/column-plan.ts';

/** A step of a plan, as DuckDB's `EXPLAIN (FORMAT json)` has it. */
interface PlanStep {
  readonly name: string;
  readonly children: readonly PlanStep[];
  readonly extra_info?: Readonly<Record<string, string | readonly string[]>>;
}

/** The members of a step that are shown: others may hold paths. */
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
 * A query whose rows are the steps of a plan, in the columns that Apache Pinot has for them: each
 * step with its number and that of the one it feeds.
 */
export function planQuery(plan: string): string {
  const rows: string[] = [];
  const steps: { step: PlanStep; parent: number }[] = (JSON.parse(plan) as PlanStep[]).map(
    (step) => ({ step, parent: -1 }),
  );
  for (let next = steps.shift(); next !== undefined; next = steps.shift()) {
    const { step, parent } = next;
    const id = rows.length;
    rows.push(`(${quoteLiteral(textOf(step))}, ${id}, ${parent})`);
    steps.unshift(...step.children.map((child) => ({ step: child, parent: id })));
  }
  return `SELECT * FROM (VALUES ${rows.join(', ')}) AS plan("Operator", "Operator_Id", "Parent_Id")`;
}

function textOf({ name, extra_info: details = {} }: PlanStep): string {
  const parts = planKeys.flatMap((key) => {
    const value = details[key];
    return value === undefined
      ? []
      : `${key}: ${typeof value === 'string' ? value.replaceAll('\n', ', ') : value.join(', ')}`;
  });
  return parts.length === 0 ? name.trim() : `${name.trim()}(${parts.join('; ')})`;
}
