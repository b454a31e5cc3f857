import type { Expression, LiteralValue } from './expression.ts';
import { reservedWords } from './operators.ts';

const bareNamePattern = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** Writes an expression so that reading it gives the same tree: all calls as calls, names quoted where they must be. */
export function printExpression(expression: Expression): string {
  if (expression.kind === 'literal') return printLiteral(expression.value);
  if (expression.kind === 'column') return printColumn(expression.name);
  return `${expression.name}(${expression.args.map(printExpression).join(', ')})`;
}

function printLiteral(value: LiteralValue): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (Object.is(value, -0)) return '-0.0';
  // Digits alone would be read as a whole number of 64 bits, which a double of this size only comes near to.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return Number(value).toExponential();
  return String(value);
}

function printColumn(name: string): string {
  const isBare = name.split('.').every((part) => bareNamePattern.test(part) && !reservedWords.has(part.toUpperCase()));
  return isBare ? name : `"${name.replaceAll('"', '""')}"`;
}
