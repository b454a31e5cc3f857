import { QuireError } from '@quire/core';
import { quoteIdentifier } from '../conversion/column-type.ts';
import type { Name } from './syntax.ts';
import { type PinotType, type Typed, typeOfSql } from './typed.ts';

/** A column that a query may name. */
export interface Column {
  readonly name: string;
  readonly type: PinotType;
  /** The DuckDB type of its values, if that is text in Apache Pinot. */
  readonly storedType?: string | undefined;
}

/** Returns the column of a table, by its type in DuckDB. */
export function columnOf(name: string, sqlType: string): Column {
  const type = typeOfSql(sqlType);
  return type === undefined ? { name, type: 'STRING', storedType: sqlType } : { name, type };
}

/** A table or subquery that is visible in a part of a query. */
export interface Relation {
  /** The qualifier of its columns; empty if they may not be qualified. */
  readonly alias: string;
  readonly columns: readonly Column[];
}

/** The relations that are visible in a part of a query, and the enclosing scope. */
export class Scope {
  readonly relations: readonly Relation[];
  readonly #outer: Scope | undefined;

  constructor(relations: readonly Relation[], outer: Scope | undefined) {
    this.relations = relations;
    this.#outer = outer;
  }

  /** Finds the column of a name: `column`, or `table.column`, both in any case. */
  find(path: readonly Name[]): Typed | undefined {
    const names = path.map(({ text }) => text.toLowerCase());
    for (const { alias, columns } of this.relations) {
      const isQualified = names.length > 1 && names.at(-2) === alias.toLowerCase();
      const isWhole = names.length === 1;
      if (!isQualified && !isWhole) continue;
      const column = columns.find(({ name }) => name.toLowerCase() === names.at(-1));
      if (column !== undefined) return readColumn(alias, column);
    }
    return this.#outer?.find(path);
  }

  /** @throws COLUMN_NOT_FOUND */
  column(path: readonly Name[]): Typed {
    const found = this.find(path);
    if (found !== undefined) return found;
    const name = path.map(({ text }) => text).join('.');
    const known = this.relations.flatMap(({ columns }) => columns.map((column) => column.name));
    const listed =
      known.length === 0
        ? ''
        : ` The columns are ${known.slice(0, 30).join(', ')}${known.length > 30 ? ' …' : ''}.`;
    throw new QuireError(
      'COLUMN_NOT_FOUND',
      `Column '${name.slice(0, 200)}' does not exist.${listed}`,
    );
  }
}

function readColumn(alias: string, { name, type, storedType }: Column): Typed {
  const sql = `${alias === '' ? '' : `${quoteIdentifier(alias)}.`}${quoteIdentifier(name)}`;
  return storedType === undefined
    ? { sql, type }
    : { sql: `CAST(${sql} AS VARCHAR)`, type, stored: sql };
}
