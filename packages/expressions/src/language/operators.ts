/** An operator between two operands: how strongly it binds, and the function that it stands for. */
export interface BinaryOperator {
  readonly power: number;
  readonly call: string;
}

/** Binding powers of what stands before or between operands, from the loosest on. */
export const power = { or: 1, and: 2, not: 3, comparison: 4, sum: 5, product: 6, sign: 7 } as const;

/** Operators that are written as symbols. */
export const symbolOperators: ReadonlyMap<string, BinaryOperator> = new Map([
  ['=', { power: power.comparison, call: 'equals' }],
  ['<>', { power: power.comparison, call: 'notEquals' }],
  ['!=', { power: power.comparison, call: 'notEquals' }],
  ['<', { power: power.comparison, call: 'lessThan' }],
  ['<=', { power: power.comparison, call: 'lessThanOrEqual' }],
  ['>', { power: power.comparison, call: 'greaterThan' }],
  ['>=', { power: power.comparison, call: 'greaterThanOrEqual' }],
  ['+', { power: power.sum, call: 'plus' }],
  ['-', { power: power.sum, call: 'sub' }],
  ['*', { power: power.product, call: 'times' }],
  ['/', { power: power.product, call: 'divide' }],
  ['%', { power: power.product, call: 'mod' }],
]);

/** Words that cannot be the name of a column unless they are quoted. */
export const reservedWords: ReadonlySet<string> = new Set([
  'AND',
  'AS',
  'BETWEEN',
  'CASE',
  'CAST',
  'ELSE',
  'END',
  'FALSE',
  'IN',
  'IS',
  'LIKE',
  'MINUS',
  'NOT',
  'NULL',
  'OR',
  'THEN',
  'TRUE',
  'WHEN',
]);
