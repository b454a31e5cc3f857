import { QuireError } from '@quire/core';
import { quoteIdentifier } from '../conversion/column-type.ts';
import type { Name } from './syntax.ts';
import { invalid, type PinotType, type Typed, typeOfSql } from './typed.ts';

/** A column that a query may name. */
export interface Column {
  readonly name: string;
  readonly type: PinotType;
  /** The DuckDB type of its values, if that is not a type of Apache Pinot. */
  readonly storedType?: string | undefined;
  /** True for a column that USING merges into another: it is found by its qualified name only. */
  readonly isMerged?: boolean;
}

/** Returns the column of a table, by its type in DuckDB. */
export function columnOf(name: string, sqlType: string): Column {
  const type = typeOfSql(sqlType);
  return type !== undefined && !Object.hasOwn(unsignedTypes, sqlType)
    ? { name, type }
    : { name, type: type ?? 'STRING', storedType: sqlType };
}

/** The types in which unsigned integers are calculated, so that differences may be negative. */
const unsignedTypes: Readonly<Record<string, string>> = {
  UINTEGER: 'BIGINT',
  UBIGINT: 'DECIMAL(20, 0)',
};

/** Converts a value of a type that Apache Pinot does not have to one that it has. */
export function castStored(sql: string, storedType: string): string {
  return `CAST(${sql} AS ${unsignedTypes[storedType] ?? 'VARCHAR'})`;
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

  /**
   * Finds the column of a name: `column`, or `table.column`, both in any case.
   *
   * @throws QUERY_INVALID when several tables have a column of that name
   */
  find(path: readonly Name[]): Typed | undefined {
    const names = path.map(({ text }) => text.toLowerCase());
    const isQualified = names.length > 1;
    const [found, other] = this.relations.flatMap(({ alias, columns }) => {
      if (isQualified && names.at(-2) !== alias.toLowerCase()) return [];
      const column = columns.find(
        ({ name, isMerged }) =>
          name.toLowerCase() === names.at(-1) && (isQualified || isMerged !== true),
      );
      return column === undefined ? [] : [{ alias, column }];
    });
    if (other !== undefined) {
      const name = path.map(({ text }) => text).join('.');
      throw invalid(
        `Column '${name.slice(0, 200)}' is in several tables, ${found?.alias} and ${other.alias}: write the name of one before it.`,
      );
    }
    return found === undefined ? this.#outer?.find(path) : readColumn(found.alias, found.column);
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

/** Returns the value of a column in expressions. */
export function readColumn(alias: string, { name, type, storedType }: Column): Typed {
  const sql = `${alias === '' ? '' : `${quoteIdentifier(alias)}.`}${quoteIdentifier(name)}`;
  return storedType === undefined
    ? { sql, type }
    : { sql: castStored(sql, storedType), type, stored: { sql, type: storedType } };
}
