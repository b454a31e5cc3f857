import { parseExpression } from '@quire/expressions';
import type { Finding } from '../finding.ts';
import type { ColumnSpec } from './column-spec.ts';
import { implicitTransform } from './implicit-transform.ts';
import { type Transform, orderTransforms } from './order-transforms.ts';
import type { TransformPart } from './pipeline-input.ts';

/** Transforms that can run, in the order in which they can, and what is wrong with the others. */
export interface ReadTransforms {
  readonly transforms: readonly Transform[];
  readonly findings: readonly Finding[];
}

/** Reads the transforms of a config, and those of the schema's columns, given or implicit, that the config has none for. */
export function readTransforms(configs: readonly TransformPart[], columns: readonly ColumnSpec[]): ReadTransforms {
  const findings: Finding[] = [];
  const byColumn = new Map<string, Transform>();
  const given = [
    ...configs.map(({ columnName, transformFunction }, index) => {
      return { column: columnName, text: transformFunction, path: `/ingestionConfig/transformConfigs/${index}` };
    }),
    ...columns.map((column) => ({ column: column.name, text: column.transformFunction, path: column.path })),
  ];
  for (const { column, text, path } of given) {
    if (column === undefined || text === undefined || text.trim() === '') continue;
    if (byColumn.has(column)) {
      const message = `The column ${column} already has a transform; the first one counts.`;
      findings.push({ path, code: 'PIPELINE_DUPLICATE_TRANSFORM', message, severity: 'warning' });
      continue;
    }
    const parsed = parseExpression(text, `${path}/transformFunction`);
    if (parsed.findings !== undefined) findings.push(...parsed.findings);
    else {
      findings.push(...parsed.warnings);
      byColumn.set(column, { column, expression: parsed.expression, path });
    }
  }
  for (const column of columns) {
    const implicit = byColumn.has(column.name) ? undefined : implicitTransform(column);
    if (implicit === undefined) continue;
    const { source, evaluate } = implicit;
    byColumn.set(column.name, { column: column.name, expression: { kind: 'column', name: source }, evaluate, path: column.path });
  }
  const { ordered, cycles, blocked } = orderTransforms([...byColumn.values()]);
  return { transforms: ordered, findings: [...findings, ...cycles.map(describeCycle), ...blocked.map(describeBlocked)] };
}

function describeCycle(cycle: readonly Transform[]): Finding {
  const names = cycle.map(({ column }) => column);
  const shown = names.length > 8 ? [...names.slice(0, 8), '…'] : names;
  const message =
    names.length === 1
      ? `The transform of ${names[0]} reads ${names[0]} itself; it is left out.`
      : `Transforms depend on each other in a circle: ${[...shown, names[0]].join(' reads ')}; they are left out.`;
  return { path: cycle[0]?.path ?? '', code: 'PIPELINE_TRANSFORM_CYCLE', message, severity: 'error' };
}

function describeBlocked({ column, path }: Transform): Finding {
  const message = `The transform of ${column} reads a column whose transform is left out; so is this one.`;
  return { path, code: 'PIPELINE_TRANSFORM_BLOCKED', message, severity: 'error' };
}
