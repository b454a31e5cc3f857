import { isQuireError, type Query, QuireError } from '@quire/core';
import { quoteLiteral } from '../conversion/column-plan.ts';
import { quoteIdentifier } from '../conversion/column-type.ts';
import { readPlan } from '../explain-statement.ts';
import type { QueryConnection } from '../query-connection.ts';
import { readRows } from '../read-rows.ts';
import { prepareSelect, type SelectStatement, type StatementRules } from '../select-statement.ts';
import { tableNotFound } from '../statement-guard.ts';
import { checkText } from '../statement-limits.ts';
import type { TableScope } from '../table-scope.ts';
import { planQuery } from './explain.ts';
import { rewordForPinot } from './reword-failure.ts';
import { type Column, columnOf } from './scope.ts';
import { type ColumnSource, translatePinot } from './translate.ts';
import { invalid } from './typed.ts';

/**
 * Prepares a query in Apache Pinot's SQL by translating all of it.
 *
 * @throws as `prepareSelect`; no message mentions names of the translation
 */
export async function prepareTranslated(
  connection: QueryConnection,
  query: Query,
  scope: TableScope,
  rules: StatementRules,
): Promise<SelectStatement> {
  if (query.sql.includes('\0')) {
    throw new QuireError('QUERY_SYNTAX', 'The query contains a NUL character.');
  }
  const { limits, redact } = rules;
  checkText(query.sql, limits);
  const prepare = (translated: Query): Promise<SelectStatement> =>
    prepareSelect(connection, translated, scope, rules);
  const columnsOf = async (relation: string): Promise<readonly Column[]> => {
    const rows = await connection.call((handle) => readRows(handle, `DESCRIBE FROM ${relation}`));
    return rows.map((row) => columnOf(String(row['column_name']), String(row['column_type'])));
  };
  const columnSource: ColumnSource = {
    tableNamed: (name) => scope.names.get(name),
    tableNotFound: (name) => tableNotFound(name, scope.names),
    columnsOfTable: async (name) => {
      await scope.define(connection, [name], { readsCatalog: false });
      return columnsOf(quoteIdentifier(name));
    },
    columnsOfResult: async (id) => {
      if (!scope.results.ids.has(id.toLowerCase())) {
        throw new QuireError(
          'QUERY_INVALID',
          "result takes the id of a stored result, as a text literal: result('01a2…').",
        );
      }
      await scope.results.define(connection, [id.toLowerCase()], redact);
      return columnsOf(`result(${quoteLiteral(id)})`);
    },
  };
  const { sql, isPlan } = await translatePinot(query, columnSource, limits).catch(
    (error: unknown) => {
      // Operators, joins and set operations are nested on their left, without brackets to count.
      throw error instanceof RangeError
        ? invalid('The query has too many operators, joins or set operations in a row.')
        : error;
    },
  );
  try {
    const prepared = { ...(await prepare({ ...query, sql })), isTranslated: true };
    if (!isPlan) return prepared;
    return await prepare({ sql: planQuery(await readPlan(connection, prepared, redact)) });
  } catch (error) {
    throw isQuireError(error) ? rewordForPinot(error) : error;
  }
}
