import { distinctNames } from '@quire/core/portable';
import type { OpenResult } from './result-pages.ts';

/** A column as the grid knows it. */
export interface GridColumn {
  /** Its position in the result. */
  readonly index: number;
  /** Its name, with a number appended if another column has the same. */
  readonly key: string;
  readonly name: string;
  readonly dataType: string;
  /** Its name in a query of the result. */
  readonly resultName: string;
}

/** Returns the columns of a result, each with a unique key: SQL allows several of one name. */
export function gridColumnsOf({ columns }: Pick<OpenResult, 'columns'>): readonly GridColumn[] {
  const taken = new Set<string>();
  const resultNames = distinctNames(columns.map(({ name }) => name));
  return columns.map(({ name, dataType }, index) => {
    // The grid stores columns in plain objects, which have inherited members.
    let key = name === '' ? `column ${index + 1}` : name in {} ? `"${name}"` : name;
    for (let number = 2; taken.has(key); number += 1) key = `${name} (${number})`;
    taken.add(key);
    return { index, key, name, dataType, resultName: resultNames[index] ?? name };
  });
}

/**
 * Returns pinned columns first, in the order of their pinning; the others in the order of the
 * result.
 */
export function inGridOrder(
  columns: readonly GridColumn[],
  pinned: readonly string[],
): readonly GridColumn[] {
  const first = pinned.flatMap((key) => columns.filter((column) => column.key === key));
  return [...first, ...columns.filter(({ key }) => !pinned.includes(key))];
}

const numeric: readonly string[] = ['INT', 'LONG', 'FLOAT', 'DOUBLE', 'BIG_DECIMAL'];

export function isNumeric(dataType: string): boolean {
  return numeric.includes(dataType);
}
