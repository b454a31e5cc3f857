/**
 * A value for a parameter of a query, with its SQL type. It is plain JSON, so that it can be sent
 * between processes:
 *
 * - `INT` 32 bits, a number; `LONG` 64 bits, as text, without loss; `BIG_DECIMAL` up to 38 digits,
 *   with a point or without;
 * - `DOUBLE` a number, or `NaN`, `Infinity`, `-Infinity`;
 * - `DATE` `2024-02-29`; `TIMESTAMP` in UTC, `2024-02-29 23:59:59.123456789`, with up to nine
 *   digits of a second;
 * - `BYTES` hexadecimal digits, two for a byte.
 */
export type QueryParameter =
  | { readonly type: 'NULL'; readonly value: null }
  | { readonly type: 'BOOLEAN'; readonly value: boolean }
  | { readonly type: 'INT'; readonly value: number }
  | { readonly type: 'LONG'; readonly value: string }
  | { readonly type: 'DOUBLE'; readonly value: number | 'NaN' | 'Infinity' | '-Infinity' }
  | {
      readonly type: 'BIG_DECIMAL' | 'STRING' | 'DATE' | 'TIMESTAMP' | 'BYTES';
      readonly value: string;
    };

/** The type of a parameter's value. */
export type ParameterType = QueryParameter['type'];

/** Values by position, for `?` or `$1`, or by name, for `$name`; names are case-insensitive. */
export type QueryParameters = readonly QueryParameter[] | Readonly<Record<string, QueryParameter>>;
