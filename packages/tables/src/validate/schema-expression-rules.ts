import { columnsOf, parseExpression } from '@quire/expressions';
import type { CheckedSchema, SchemaRule } from './rule.ts';

/** Rules about the transforms of a schema's columns. */
export const schemaExpressionRules: readonly SchemaRule[] = [
  {
    code: 'SCHEMA_TRANSFORM_SYNTAX',
    subject: 'expressions',
    severity: 'error',
    description: 'Transforms of a schema are expressions of known functions; Groovy is never run.',
    *check(checked) {
      for (const { path, text } of transformsOf(checked)) yield* parseExpression(text, path).findings ?? [];
    },
  },
  {
    code: 'SCHEMA_TRANSFORM_SELF',
    subject: 'expressions',
    severity: 'error',
    description: 'A transform of a schema does not read the column that it makes.',
    *check(checked) {
      for (const { path, name, reads } of transformsOf(checked)) {
        if (reads.includes(name)) yield { path, message: `The transform of ${name} reads ${name} itself.` };
      }
    },
  },
  {
    code: 'SCHEMA_TRANSFORM_CHAINED',
    subject: 'expressions',
    severity: 'error',
    description:
      'A transform of a schema does not read a column that another one makes; the ingestion config can say such a thing.',
    *check(checked) {
      const transforms = transformsOf(checked);
      const made = new Set(transforms.map(({ name }) => name));
      for (const { path, name, reads } of transforms) {
        const other = reads.find((column) => column !== name && made.has(column));
        if (other !== undefined) {
          yield { path, message: `The transform of ${name} reads ${other}, which another transform makes.` };
        }
      }
    },
  },
];

interface SchemaTransform {
  readonly path: string;
  readonly name: string;
  readonly text: string;
  readonly reads: readonly string[];
}

function transformsOf({ columns }: CheckedSchema): readonly SchemaTransform[] {
  return columns.flatMap(({ name, path, spec: { transformFunction: text } }) => {
    if (text === undefined || text.trim() === '') return [];
    const { expression } = parseExpression(text);
    const reads = expression === undefined ? [] : columnsOf(expression);
    return [{ path: `${path}/transformFunction`, name, text, reads }];
  });
}
