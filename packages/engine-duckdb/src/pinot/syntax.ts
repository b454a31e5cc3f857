/* The syntax tree of a query in Apache Pinot's SQL. Each node has its position in the text: columns
   without an alias are named as typed, and messages quote the text. */

/** A span of the text: characters `[start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A name; quoted names keep their case. */
export interface Name extends Span {
  readonly text: string;
}

export type Expression = Span &
  (
    | { readonly kind: 'number'; readonly text: string }
    | { readonly kind: 'text'; readonly value: string }
    | { readonly kind: 'bytes'; readonly hex: string }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'null' }
    | { readonly kind: 'timestamp'; readonly value: string }
    | { readonly kind: 'parameter'; readonly index: number }
    | { readonly kind: 'column'; readonly path: readonly Name[] }
    | { readonly kind: 'star'; readonly table: Name | undefined }
    | CallExpression
    | { readonly kind: 'array'; readonly items: readonly Expression[] }
    | { readonly kind: 'item'; readonly value: Expression; readonly index: Expression }
    | { readonly kind: 'negate'; readonly value: Expression }
    | { readonly kind: 'not'; readonly value: Expression }
    | {
        readonly kind: 'binary';
        readonly operator: BinaryOperator;
        readonly left: Expression;
        readonly right: Expression;
      }
    | {
        readonly kind: 'between';
        readonly value: Expression;
        readonly low: Expression;
        readonly high: Expression;
        readonly isNegated: boolean;
      }
    | {
        readonly kind: 'like';
        readonly value: Expression;
        readonly pattern: Expression;
        readonly escape: Expression | undefined;
        readonly isNegated: boolean;
      }
    | {
        readonly kind: 'in';
        readonly value: Expression;
        readonly among: readonly Expression[] | Query;
        readonly isNegated: boolean;
      }
    | {
        readonly kind: 'is';
        readonly value: Expression;
        readonly what: 'NULL' | 'TRUE' | 'FALSE' | 'UNKNOWN';
        readonly isNegated: boolean;
      }
    | {
        readonly kind: 'distinctFrom';
        readonly left: Expression;
        readonly right: Expression;
        readonly isNegated: boolean;
      }
    | {
        readonly kind: 'case';
        readonly subject: Expression | undefined;
        readonly branches: readonly { readonly when: Expression; readonly result: Expression }[];
        readonly otherwise: Expression | undefined;
      }
    | { readonly kind: 'cast'; readonly value: Expression; readonly type: Name }
    | { readonly kind: 'exists'; readonly query: Query }
    | { readonly kind: 'subquery'; readonly query: Query }
  );

export type BinaryOperator =
  | 'OR'
  | 'AND'
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '||';

/** A call of a function, which may be an aggregate or have a window. */
export interface CallExpression extends Span {
  readonly kind: 'call';
  readonly name: Name;
  readonly values: readonly Expression[];
  readonly isDistinct: boolean;
  /** `WITHIN GROUP (ORDER BY …)`. */
  readonly within: readonly Ordering[];
  readonly filter: Expression | undefined;
  readonly isIgnoringNulls: boolean;
  readonly over: Window | Name | undefined;
}

export interface Window {
  readonly partition: readonly Expression[];
  readonly order: readonly Ordering[];
  /** `ROWS …` or `RANGE …`, as typed. */
  readonly frame: string | undefined;
}

export interface Ordering {
  readonly value: Expression;
  readonly isDescending: boolean;
  readonly nulls: 'FIRST' | 'LAST' | undefined;
}

export interface Query extends Span {
  readonly kind: 'query';
  readonly tables: readonly NamedQuery[];
  readonly body: Body;
  readonly order: readonly Ordering[];
  readonly limit: Expression | undefined;
  readonly offset: Expression | undefined;
}

/** A common table expression. */
export interface NamedQuery {
  readonly name: Name;
  readonly columns: readonly Name[];
  readonly query: Query;
}

export type Body =
  | Select
  | Query
  | {
      readonly kind: 'set';
      readonly operator: 'UNION' | 'INTERSECT' | 'EXCEPT';
      readonly isAll: boolean;
      readonly left: Body;
      readonly right: Body;
    }
  | { readonly kind: 'values'; readonly rows: readonly (readonly Expression[])[] };

export interface Select extends Span {
  readonly kind: 'select';
  readonly isDistinct: boolean;
  readonly items: readonly { readonly value: Expression; readonly alias: Name | undefined }[];
  readonly from: Source | undefined;
  readonly where: Expression | undefined;
  readonly groups: readonly Expression[];
  readonly having: Expression | undefined;
  readonly windows: readonly { readonly name: Name; readonly window: Window }[];
  readonly qualify: Expression | undefined;
}

export type Source =
  | (Span & { readonly kind: 'table'; readonly path: readonly Name[]; readonly alias: Alias })
  | (Span & { readonly kind: 'derived'; readonly query: Query; readonly alias: Alias })
  | (Span & {
      readonly kind: 'unnest';
      readonly values: readonly Expression[];
      readonly alias: Alias;
    })
  | (Span & { readonly kind: 'result'; readonly id: string; readonly alias: Alias })
  | {
      readonly kind: 'join';
      readonly type: 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' | 'CROSS';
      readonly left: Source;
      readonly right: Source;
      readonly on: Expression | undefined;
      readonly using: readonly Name[];
    };

/** The alias of a source, and those of its columns. */
export interface Alias {
  readonly name: Name | undefined;
  readonly columns: readonly Name[];
}
