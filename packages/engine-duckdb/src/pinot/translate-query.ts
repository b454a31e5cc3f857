import type { QueryParameters, QuireError } from '@quire/core';
import { quoteLiteral } from '../conversion/column-plan.ts';
import { quoteIdentifier } from '../conversion/column-type.ts';
import type { StatementLimits } from '../statement-limits.ts';
import { commonType, convert, toBoolean } from './convert.ts';
import { type Column, type Relation, Scope } from './scope.ts';
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

interface SelectedItem {
  readonly name: string;
  readonly value: Typed;
}

/** Translates queries and their parts. */
export class QueryTranslator {
  readonly #sql: string;
  readonly #relations: KnownRelations;
  readonly #parameters: QueryParameters | undefined;
  readonly #limits: StatementLimits;
  /** Visible common table expressions, in lower case, innermost last. */
  #named: readonly (readonly [name: string, columns: readonly Column[]])[] = [];
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
    const renamed = columns.map((column, index) => ({
      ...column,
      name: names[index]?.text ?? column.name,
    }));
    this.#named = [...this.#named, [name.text.toLowerCase(), renamed]];
    const list =
      names.length === 0 ? '' : `(${names.map(({ text }) => quoteIdentifier(text)).join(', ')})`;
    return `${quoteIdentifier(name.text)}${list} AS (${sql})`;
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
    const context = this.#context(scope, new Map());
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
          const types = [column.type, right.columns[index]?.type ?? column.type].map((type) =>
            typed(type, ''),
          );
          return { name: column.name, type: commonType(types) };
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
    const context = this.#context(new Scope([], outer), new Map());
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
    let scope = new Scope(source?.relations ?? [], outer);
    let where =
      select.where === undefined
        ? ''
        : ` WHERE ${toBoolean(translateExpression(select.where, this.#context(scope, new Map())))}`;
    let from = source === undefined ? '' : ` FROM ${source.sql}`;
    const split = this.#splitGroups(select, scope);
    if (split !== undefined) {
      from = ` FROM (SELECT * REPLACE (${split.replacements.join(', ')})${from}${where}) AS ${quoteIdentifier(split.relation.alias)}`;
      where = '';
      scope = new Scope([split.relation], outer);
    }
    const context = this.#context(scope, new Map());
    const aliases = new Map<string, Typed>();
    const items = select.items.flatMap((item) => {
      const selected = this.#translateItem(item, scope, context);
      const [first] = selected;
      if (item.alias !== undefined && item.value.kind !== 'star' && first !== undefined) {
        aliases.set(item.alias.text.toLowerCase(), first.value);
      }
      return selected;
    });
    const named = this.#context(scope, aliases);
    const list = items.map(
      ({ name, value }) => `${value.stored ?? value.sql} AS ${quoteIdentifier(name)}`,
    );
    const groups = select.groups.map(
      (group) => positionOf(group, items) ?? translateExpression(group, named).sql,
    );
    const windows = select.windows.map(
      ({ name, window }) => `${quoteIdentifier(name.text)} AS ${windowText(window, context)}`,
    );
    const orders = (query?.order ?? []).map((order) => {
      const value = positionOf(order.value, items) ?? translateExpression(order.value, named).sql;
      return value + directionOf(order);
    });
    const sql = [
      `SELECT ${select.isDistinct ? 'DISTINCT ' : ''}${list.join(', ')}${from}${where}`,
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
    const columns = items.map(({ name, value: { type, stored } }) =>
      stored === undefined ? { name, type } : { name, type, storedType: 'VARCHAR' },
    );
    return { sql, columns };
  }

  /**
   * Splits the rows of multi-value columns in GROUP BY, so that a row counts once for each of its
   * values. Returns the relation of the split rows.
   */
  #splitGroups(
    { groups, from }: Select,
    scope: Scope,
  ): { readonly replacements: readonly string[]; readonly relation: Relation } | undefined {
    const columns = groups.flatMap((group) => {
      const found = group.kind === 'column' ? scope.find(group.path) : undefined;
      return found !== undefined && isArray(found.type) && group.kind === 'column'
        ? [group.path.at(-1)?.text ?? '']
        : [];
    });
    const [relation, more] = scope.relations;
    if (columns.length === 0 || relation === undefined) return undefined;
    if (more !== undefined || from === undefined) {
      throw invalid(
        `${columns.join(', ')} is a multi-value column, which GROUP BY supports only in queries of one table.`,
      );
    }
    const isSplit = (name: string): boolean =>
      columns.some((column) => column.toLowerCase() === name.toLowerCase());
    return {
      replacements: columns.map(
        (name) => `unnest(${quoteIdentifier(name)}) AS ${quoteIdentifier(name)}`,
      ),
      relation: {
        alias: relation.alias,
        columns: relation.columns.map((column) =>
          isSplit(column.name) ? { ...column, type: elementOf(column.type) } : column,
        ),
      },
    };
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
      return relations.flatMap(({ alias: qualifier, columns }) =>
        columns.flatMap(({ name }) => {
          const path = qualifier === '' ? [name] : [qualifier, name];
          const found = new Scope([{ alias: qualifier, columns }], undefined).find(
            path.map((text) => ({ text, start: 0, end: 0 })),
          );
          return found === undefined ? [] : [{ name, value: found }];
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
    const list =
      alias.columns.length === 0
        ? ''
        : `(${alias.columns.map(({ text }) => quoteIdentifier(text)).join(', ')})`;
    const renamed = columns.map((column, index) => ({
      ...column,
      name: alias.columns[index]?.text ?? column.name,
    }));
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
    const common = schema === '' ? this.#named.findLast(([each]) => each === lower) : undefined;
    if (common !== undefined) return { sql: quoteIdentifier(common[0]), columns: common[1] };
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
    if (source.right.kind === 'unnest') return this.#translateUnnest(left, source.right, outer);
    const right = this.#translateSource(source.right, outer);
    const relations = [...left.relations, ...right.relations];
    const word = source.type === 'CROSS' ? 'CROSS JOIN' : `${source.type} JOIN`;
    if (source.using.length > 0) {
      const names = source.using.map(({ text }) => text);
      const merged = names.flatMap((name) => {
        const found = new Scope(left.relations, undefined).find([{ text: name, start: 0, end: 0 }]);
        return found === undefined ? [] : [{ name, type: found.type }];
      });
      const rest = relations.map(({ alias, columns }) => ({
        alias,
        columns: columns.filter(
          ({ name }) => !names.some((each) => each.toLowerCase() === name.toLowerCase()),
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
        : ` ON ${toBoolean(translateExpression(source.on, this.#context(new Scope(relations, outer), new Map())))}`;
    return { sql: `${left.sql} ${word} ${right.sql}${on}`, relations };
  }

  #translateUnnest(
    left: { readonly sql: string; readonly relations: readonly Relation[] },
    { values, alias }: Source & { kind: 'unnest' },
    outer: Scope | undefined,
  ): { readonly sql: string; readonly relations: readonly Relation[] } {
    const context = this.#context(new Scope(left.relations, outer), new Map());
    const [array, more] = values.map((value) => translateExpression(value, context));
    if (array === undefined || more !== undefined || !isArray(array.type)) {
      throw invalid('UNNEST requires one multi-value column.');
    }
    const name = alias.name?.text ?? 'unnest';
    const column = alias.columns[0]?.text ?? 'value';
    const sql = `${left.sql}, LATERAL (SELECT unnest(${array.sql})) AS ${quoteIdentifier(name)}(${quoteIdentifier(column)})`;
    return {
      sql,
      relations: [
        ...left.relations,
        { alias: name, columns: [{ name: column, type: elementOf(array.type) }] },
      ],
    };
  }

  #context(scope: Scope, aliases: ReadonlyMap<string, Typed>): ExpressionContext {
    return {
      scope,
      aliases,
      parameters: this.#parameters,
      limits: this.#limits,
      query: (query, outer) => this.translate(query, outer),
    };
  }
}

/** Returns the position of `GROUP BY 1`, checked against the selected columns. */
function positionOf(value: Expression, items: readonly SelectedItem[]): string | undefined {
  if (value.kind !== 'number' || !/^\d+$/.test(value.text)) return undefined;
  const position = Number(value.text);
  if (position >= 1 && position <= items.length) return value.text;
  throw invalid(`${value.text} is not the position of a column: there are ${items.length}.`);
}

function withTypes({ sql, columns }: TranslatedQuery, wanted: readonly Column[]): string {
  if (columns.every(({ type }, index) => type === wanted[index]?.type)) return `(${sql})`;
  const casts = columns.map(({ type }, index) => {
    const name = wanted[index]?.name ?? '';
    return `${convert(typed(type, `c${index}`), wanted[index]?.type ?? type).sql} AS ${quoteIdentifier(name)}`;
  });
  return `(SELECT ${casts.join(', ')} FROM (${sql}) AS side(${columns.map((_, index) => `c${index}`).join(', ')}))`;
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
