import { quoteIdentifier } from '../conversion/column-type.ts';
import { readColumn, type Scope } from './scope.ts';
import type { Expression, Select } from './syntax.ts';
import { type ExpressionContext, translateExpression } from './translate-expression.ts';
import { elementOf, invalid, isArray, type Typed, typed } from './typed.ts';

/** A selected column. */
export interface SelectedItem {
  readonly name: string;
  readonly value: Typed;
}

/** The selected columns, and the contexts of expressions. */
export interface TranslatedItems {
  readonly items: readonly SelectedItem[];
  readonly context: ExpressionContext;
  /** The context of the parts in which the items have names. */
  readonly named: ExpressionContext;
}

/** Returns the position of `GROUP BY 1`, checked against the selected columns. */
export function positionOf(value: Expression, items: readonly SelectedItem[]): string | undefined {
  if (value.kind !== 'number' || !/^\d+$/.test(value.text)) return undefined;
  const position = Number(value.text);
  if (position >= 1 && position <= items.length) return value.text;
  throw invalid(`${value.text} is not the position of a column: there are ${items.length}.`);
}

/** Returns the multi-value expressions by which rows are grouped, or of which rows are distinct. */
export function multiValuesOf(
  { groups, isDistinct }: Select,
  { items, named }: TranslatedItems,
): readonly Typed[] {
  const grouped = groups.map((group) => {
    const position = positionOf(group, items);
    const item = position === undefined ? undefined : items[Number(position) - 1];
    return item?.value ?? translateExpression(group, named);
  });
  const distinct = isDistinct && isSingle(named.scope) ? items.map(({ value }) => value) : [];
  return [...grouped, ...distinct].filter(({ type }) => isArray(type));
}

function isSingle({ relations }: Scope): boolean {
  return relations.length === 1;
}

/**
 * Splits rows so that each has one of the values of each array: a row counts once for each of its
 * values. If a column has none in a row, that counts for null. Returns the split rows, and their
 * values by the arrays.
 */
export function splitRows(
  arrays: readonly Typed[],
  scope: Scope,
  rows: string | undefined,
): { readonly from: string; readonly values: ReadonlyMap<string, Typed> } | undefined {
  const [relation] = scope.relations;
  if (arrays.length === 0) return undefined;
  if (relation === undefined || rows === undefined || !isSingle(scope)) {
    throw invalid(
      'GROUP BY supports multi-value columns only in queries of one table; select from the join in a subquery.',
    );
  }
  const alias = quoteIdentifier(relation.alias);
  const values = new Map<string, Typed>();
  let from = rows;
  for (const { sql, type } of arrays) {
    if (values.has(sql)) continue;
    const column = quoteIdentifier(`value ${values.size + 1}`);
    const isColumn = relation.columns.some((each) => readColumn(relation.alias, each).sql === sql);
    const split = isColumn ? `CASE WHEN len(${sql}) > 0 THEN ${sql} ELSE [NULL] END` : sql;
    from = ` FROM (SELECT *, unnest(${split}) AS ${column}${from}) AS ${alias}`;
    values.set(sql, typed(elementOf(type), `${alias}.${column}`));
  }
  return { from, values };
}
