import { distinctNames, type QueryParameters, type QuireError } from '@quire/core';
import { quoteLiteral } from '../conversion/column-plan.ts';
import { quoteIdentifier } from '../conversion/column-type.ts';
import type { StatementLimits } from '../statement-limits.ts';
import { commonType, convert, toBoolean } from './convert.ts';
import {
  multiValuesOf,
  positionOf,
  type SelectedItem,
  splitRows,
  type TranslatedItems,
} from './grouping.ts';
import { castStored, type Column, readColumn, type Relation, Scope } from './scope.ts';
import type { Body, Expression, NamedQuery, Query, Select, Source } from './syntax.ts';
import {
  directionOf,
  type ExpressionContext,
  translateExpression,
  windowText,
} from './translate-expression.ts';
import { elementOf, invalid, isArray, type Typed, typed } from './typed.ts';

/** The columns of the relations that a query may read. */
export interface KnownRelations {
  /** Returns the table of a name without a schema, in any case. */
  readonly table: (
    name: string,
  ) => { readonly name: string; readonly columns: readonly Column[] } | undefined;
  readonly tableNotFound: (name: string) => QuireError;
  readonly result: (id: string) => readonly Column[];
}

/** A query in DuckDB's SQL, and its columns. */
export interface TranslatedQuery {
  readonly sql: string;
  readonly columns: readonly Column[];
}

/** Translates queries and their parts. */
export class QueryTranslator {
  readonly #sql: string;
  readonly #relations: KnownRelations;
  readonly #parameters: QueryParameters | undefined;
  readonly #limits: StatementLimits;
  /** Visible common table expressions, in lower case, innermost last. */
  #named: readonly {
    readonly name: string;
    readonly sqlName: string;
    readonly columns: readonly Column[];
  }[] = [];
  #unnamedCount = 0;

  /** @param sql the text, from which columns without an alias are named */
  constructor(
    sql: string,
    relations: KnownRelations,
    parameters: QueryParameters | undefined,
    limits: StatementLimits,
  ) {
    this.#sql = sql;
    this.#relations = relations;
    this.#parameters = parameters;
    this.#limits = limits;
  }

  translate(query: Query, outer?: Scope): TranslatedQuery {
    const visible = this.#named;
    const tables = query.tables.map((named) => this.#translateNamed(named));
    const prefix = tables.length === 0 ? '' : `WITH ${tables.join(', ')} `;
    const { body } = query;
    const translated =
      body.kind === 'select'
        ? this.#translateSelect(body, outer, query)
        : this.#translateOrdered(body, outer, query);
    this.#named = visible;
    return { sql: `${prefix}${translated.sql}${limitText(query)}`, columns: translated.columns };
  }

  #translateNamed({ name, columns: names, query }: NamedQuery): string {
    const { sql, columns } = this.translate(query);
    const { list, columns: renamed } = withNames(columns, names);
    // `default.t` is the table even where a common table expression has its name.
    const isTable = this.#relations.table(name.text) !== undefined;
    const sqlName = quoteIdentifier(isTable ? `with ${name.text}` : name.text);
    this.#named = [...this.#named, { name: name.text.toLowerCase(), sqlName, columns: renamed }];
    return `${sqlName}${list} AS (${sql})`;
  }

  /** Translates UNION and other set operations, whose rows are ordered by column names. */
  #translateOrdered(
    body: Exclude<Body, Select>,
    outer: Scope | undefined,
    { order }: Query,
  ): TranslatedQuery {
    const { sql, columns } = this.#translateBody(body, outer);
    if (order.length === 0) return { sql, columns };
    const scope = new Scope([{ alias: '', columns }], outer);
    const context = this.#context(scope);
    const orders = order.map((each) => {
      const value =
        each.value.kind === 'number'
          ? each.value.text
          : translateExpression(each.value, context).sql;
      return value + directionOf(each);
    });
    return { sql: `SELECT * FROM (${sql}) AS rows ORDER BY ${orders.join(', ')}`, columns };
  }

  #translateBody(body: Body, outer: Scope | undefined): TranslatedQuery {
    switch (body.kind) {
      case 'query': {
        const { sql, columns } = this.translate(body, outer);
        return { sql: `(${sql})`, columns };
      }
      case 'select':
        return this.#translateSelect(body, outer, undefined);
      case 'values':
        return this.#translateValues(body.rows, outer);
      case 'set': {
        const [left, right] = [
          this.#translateBody(body.left, outer),
          this.#translateBody(body.right, outer),
        ];
        if (left.columns.length !== right.columns.length) {
          throw invalid(
            `${body.operator} requires the same number of columns on both sides, not ${left.columns.length} and ${right.columns.length}.`,
          );
        }
        const columns = left.columns.map((column, index) => {
          const other = right.columns[index] ?? column;
          const type = commonType([typed(column.type, ''), typed(other.type, '')]);
          const isSame = column.storedType === other.storedType && type === column.type;
          return { name: column.name, type, storedType: isSame ? column.storedType : undefined };
        });
        const operator = `${body.operator}${body.isAll ? ' ALL' : ''}`;
        return {
          sql: `${withTypes(left, columns)} ${operator} ${withTypes(right, columns)}`,
          columns,
        };
      }
    }
  }

  #translateValues(
    rows: readonly (readonly Expression[])[],
    outer: Scope | undefined,
  ): TranslatedQuery {
    const context = this.#context(new Scope([], outer));
    const values = rows.map((row) => row.map((value) => translateExpression(value, context)));
    const columns = (values[0] ?? []).map((_, index) => ({
      name: `EXPR$${index}`,
      type: commonType(values.flatMap((row) => row[index] ?? [])),
    }));
    const lines = values.map(
      (row) =>
        `(${row.map((value, index) => convert(value, columns[index]?.type ?? value.type).sql).join(', ')})`,
    );
    const names = columns.map(({ name }) => quoteIdentifier(name)).join(', ');
    return { sql: `SELECT * FROM (VALUES ${lines.join(', ')}) AS rows(${names})`, columns };
  }

  #translateSelect(
    select: Select,
    outer: Scope | undefined,
    query: Query | undefined,
  ): TranslatedQuery {
    const source =
      select.from === undefined ? undefined : this.#translateSource(select.from, outer);
    const scope = new Scope(source?.relations ?? [], outer);
    const where =
      select.where === undefined
        ? ''
        : ` WHERE ${toBoolean(translateExpression(select.where, this.#context(scope)))}`;
    const given = this.#translateItems(select, scope);
    const split = splitRows(
      multiValuesOf(select, given),
      scope,
      source === undefined ? undefined : ` FROM ${source.sql}${where}`,
    );
    const { items, context, named } =
      split === undefined ? given : this.#translateItems(select, scope, split.values);
    const from = split?.from ?? `${source === undefined ? '' : ` FROM ${source.sql}`}${where}`;
    const list = items.map(
      ({ name, value }) => `${value.stored?.sql ?? value.sql} AS ${quoteIdentifier(name)}`,
    );
    const groups = select.groups.map((group) => {
      const position = positionOf(group, items);
      if (position !== undefined) return position;
      const { sql, stored } = translateExpression(group, named);
      return stored?.sql ?? sql;
    });
    const windows = select.windows.map(
      ({ name, window }) => `${quoteIdentifier(name.text)} AS ${windowText(window, context)}`,
    );
    const orders = (query?.order ?? []).map((order) => {
      const position = positionOf(order.value, items);
      if (position !== undefined) return position + directionOf(order);
      const { sql: value } = translateExpression(order.value, named);
      // DuckDB would look for a name among those of the selected columns first.
      const index = items.findIndex((item) => item.value.sql === value);
      return (index < 0 ? value : String(index + 1)) + directionOf(order);
    });
    const sql = [
      `SELECT ${select.isDistinct ? 'DISTINCT ' : ''}${list.join(', ')}${from}`,
      groups.length === 0 ? '' : ` GROUP BY ${groups.join(', ')}`,
      select.having === undefined
        ? ''
        : ` HAVING ${toBoolean(translateExpression(select.having, named))}`,
      windows.length === 0 ? '' : ` WINDOW ${windows.join(', ')}`,
      select.qualify === undefined
        ? ''
        : ` QUALIFY ${toBoolean(translateExpression(select.qualify, named))}`,
      orders.length === 0 ? '' : ` ORDER BY ${orders.join(', ')}`,
    ].join('');
    const columns = items.map(({ name, value: { type, stored } }) => ({
      name,
      type,
      storedType: stored?.type,
    }));
    return { sql, columns };
  }

  #translateItems(
    select: Select,
    scope: Scope,
    values: ExpressionContext['values'] = new Map(),
  ): TranslatedItems {
    const context = { ...this.#context(scope), values };
    const aliases = new Map<string, Typed>();
    const items = select.items.flatMap((item) => {
      const selected = this.#translateItem(item, scope, context);
      const [first] = selected;
      if (item.alias !== undefined && item.value.kind !== 'star' && first !== undefined) {
        aliases.set(item.alias.text.toLowerCase(), first.value);
      }
      return selected;
    });
    return { items, context, named: { ...context, aliases } };
  }

  #translateItem(
    { value, alias }: Select['items'][number],
    scope: Scope,
    context: ExpressionContext,
  ): readonly SelectedItem[] {
    if (value.kind === 'star') {
      const wanted = value.table?.text.toLowerCase();
      const relations = scope.relations.filter(
        (relation) => wanted === undefined || relation.alias.toLowerCase() === wanted,
      );
      if (relations.length === 0) {
        throw invalid(`There are no columns for *${wanted === undefined ? '' : ` of ${wanted}`}.`);
      }
      return relations.flatMap((relation) =>
        relation.columns.flatMap((column) => {
          // `*` has a column of USING once, `t.*` always.
          if (wanted === undefined && column.isMerged === true) return [];
          const found = readColumn(relation.alias, column);
          return [{ name: column.name, value: context.values.get(found.sql) ?? found }];
        }),
      );
    }
    const translated = translateExpression(value, context);
    const typedText = this.#sql.slice(value.start, value.end).replaceAll(/\s+/g, ' ').trim();
    const own = value.kind === 'column' ? value.path.at(-1)?.text : undefined;
    return [{ name: alias?.text ?? own ?? typedText, value: translated }];
  }

  #translateSource(
    source: Source,
    outer: Scope | undefined,
  ): { readonly sql: string; readonly relations: readonly Relation[] } {
    switch (source.kind) {
      case 'table': {
        const name = source.path.at(-1)?.text ?? '';
        const found = this.#findTable(source.path.map(({ text }) => text));
        const sql = `${found.sql} AS`;
        return this.#aliased(sql, found.columns, source.alias, name);
      }
      case 'result': {
        const columns = this.#relations.result(source.id);
        return this.#aliased(
          `result(${quoteLiteral(source.id)}) AS`,
          columns,
          source.alias,
          'result',
        );
      }
      case 'derived': {
        const { sql, columns } = this.translate(source.query, outer);
        this.#unnamedCount += 1;
        return this.#aliased(`(${sql}) AS`, columns, source.alias, `query ${this.#unnamedCount}`);
      }
      case 'unnest':
        throw invalid('UNNEST must follow a table and a comma, or CROSS JOIN.');
      case 'join':
        return this.#translateJoin(source, outer);
    }
  }

  #aliased(
    sql: string,
    columns: readonly Column[],
    alias: {
      readonly name: { readonly text: string } | undefined;
      readonly columns: readonly { readonly text: string }[];
    },
    otherwise: string,
  ): { readonly sql: string; readonly relations: readonly Relation[] } {
    const name = alias.name?.text ?? otherwise;
    const { list, columns: renamed } = withNames(columns, alias.columns);
    return {
      sql: `${sql} ${quoteIdentifier(name)}${list}`,
      relations: [{ alias: name, columns: renamed }],
    };
  }

  #findTable(path: readonly string[]): {
    readonly sql: string;
    readonly columns: readonly Column[];
  } {
    const [schema, name] =
      path.length > 1 ? [path.slice(0, -1).join('.'), path.at(-1)] : ['', path[0]];
    const isOwn = schema === '' || schema.toLowerCase() === 'default';
    const lower = (name ?? '').toLowerCase();
    const common = schema === '' ? this.#named.findLast((each) => each.name === lower) : undefined;
    if (common !== undefined) return { sql: common.sqlName, columns: common.columns };
    const table = isOwn ? this.#relations.table(name ?? '') : undefined;
    if (table === undefined) throw this.#relations.tableNotFound(path.join('.'));
    return { sql: quoteIdentifier(table.name), columns: table.columns };
  }

  #translateJoin(
    source: Source & { kind: 'join' },
    outer: Scope | undefined,
  ): {
    readonly sql: string;
    readonly relations: readonly Relation[];
  } {
    const left = this.#translateSource(source.left, outer);
    const right =
      source.right.kind === 'unnest'
        ? this.#translateUnnest(left, source, source.right, outer)
        : this.#translateSource(source.right, outer);
    const relations = [...left.relations, ...right.relations];
    const word = source.type === 'CROSS' ? 'CROSS JOIN' : `${source.type} JOIN`;
    if (source.using.length > 0) {
      const names = source.using.map(({ text }) => text);
      const merged = names.flatMap((name) => {
        const found = new Scope(left.relations, undefined).find([{ text: name, start: 0, end: 0 }]);
        return found === undefined
          ? []
          : [{ name, type: found.type, storedType: found.stored?.type }];
      });
      const rest = relations.map(({ alias, columns }) => ({
        alias,
        columns: columns.map((column) =>
          names.some((each) => each.toLowerCase() === column.name.toLowerCase())
            ? { ...column, isMerged: true }
            : column,
        ),
      }));
      const using = names.map(quoteIdentifier).join(', ');
      return {
        sql: `${left.sql} ${word} ${right.sql} USING (${using})`,
        relations: [{ alias: '', columns: merged }, ...rest],
      };
    }
    const on =
      source.on === undefined
        ? source.type === 'CROSS'
          ? ''
          : ' ON true'
        : ` ON ${toBoolean(translateExpression(source.on, this.#context(new Scope(relations, outer))))}`;
    return { sql: `${left.sql} ${word} ${right.sql}${on}`, relations };
  }

  #translateUnnest(
    { relations }: { readonly relations: readonly Relation[] },
    { type, using }: Source & { kind: 'join' },
    { values, alias }: Source & { kind: 'unnest' },
    outer: Scope | undefined,
  ): { readonly sql: string; readonly relations: readonly Relation[] } {
    const context = this.#context(new Scope(relations, outer));
    const [array, more] = values.map((value) => translateExpression(value, context));
    if (array === undefined || more !== undefined || !isArray(array.type)) {
      throw invalid('UNNEST requires one multi-value column.');
    }
    if (type === 'RIGHT' || type === 'FULL' || using.length > 0) {
      throw invalid('UNNEST must follow a comma, CROSS JOIN, JOIN or LEFT JOIN, without USING.');
    }
    const name = alias.name?.text ?? 'unnest';
    const column = alias.columns[0]?.text ?? 'value';
    return {
      sql: `LATERAL (SELECT unnest(${array.sql})) AS ${quoteIdentifier(name)}(${quoteIdentifier(column)})`,
      relations: [{ alias: name, columns: [{ name: column, type: elementOf(array.type) }] }],
    };
  }

  #context(scope: Scope): ExpressionContext {
    return {
      scope,
      aliases: new Map(),
      values: new Map(),
      isAggregated: false,
      parameters: this.#parameters,
      limits: this.#limits,
      query: (query, outer) => this.translate(query, outer),
    };
  }
}

function withTypes({ sql, columns }: TranslatedQuery, wanted: readonly Column[]): string {
  const isSame = columns.every(
    ({ type, storedType }, index) =>
      type === wanted[index]?.type && storedType === wanted[index]?.storedType,
  );
  if (isSame) return `(${sql})`;
  const casts = columns.map(({ type, storedType }, index) => {
    const { name = '', type: wantedType = type, storedType: wantedStored } = wanted[index] ?? {};
    const value =
      storedType === undefined || storedType === wantedStored
        ? `c${index}`
        : castStored(`c${index}`, storedType);
    return `${convert(typed(type, value), wantedType).sql} AS ${quoteIdentifier(name)}`;
  });
  return `(SELECT ${casts.join(', ')} FROM (${sql}) AS side(${columns.map((_, index) => `c${index}`).join(', ')}))`;
}

/** Names the columns of a relation, each differently, so that each can be read. */
function withNames(
  given: readonly Column[],
  names: readonly { readonly text: string }[],
): { readonly list: string; readonly columns: readonly Column[] } {
  const wanted = given.map(({ name }, index) => names[index]?.text ?? name);
  const distinct = distinctNames(wanted);
  const isSame = distinct.every((name, index) => name === given[index]?.name);
  return {
    list: isSame ? '' : `(${distinct.map(quoteIdentifier).join(', ')})`,
    columns: given.map((column, index) => ({ ...column, name: distinct[index] ?? column.name })),
  };
}

function limitText({ limit, offset }: Query): string {
  const textOf = (value: Expression): string => {
    if (value.kind === 'number' && /^\d+$/.test(value.text)) return value.text;
    if (value.kind === 'parameter') return `$${value.index}`;
    throw invalid('LIMIT and OFFSET must be whole numbers.');
  };
  const limited = limit === undefined ? '' : ` LIMIT ${textOf(limit)}`;
  return limited + (offset === undefined ? '' : ` OFFSET ${textOf(offset)}`);
}
