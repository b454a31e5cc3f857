import { javaText } from '../values/java-text.ts';
import { type Expression, type LiteralValue, reservedWords } from './expression.ts';

const bareNamePattern = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** Writes an expression so that reading it gives the same tree: all calls as calls, names quoted where they must be. */
export function printExpression(expression: Expression): string {
  if (expression.kind === 'literal') return printLiteral(expression.value);
  if (expression.kind === 'column') return printColumn(expression.name);
  const { name, args } = expression;
  const [first, ...rest] = args;
  const shown = args.map(printExpression);
  // Some calls have no other form than the one that SQL writes in words.
  if (name === 'arrayValueConstructor') return `ARRAY[${shown.join(', ')}]`;
  if (name === 'trim' && args.length === 3) return `TRIM(${wordOf(first)} ${shown[1]} FROM ${shown[2]})`;
  if (name === 'cast') return `CAST(${shown[0]} AS ${wordOf(args[1])})`;
  if (name === 'extract') return `EXTRACT(${wordOf(first)} FROM ${shown[1]})`;
  if (name === 'timestampAdd' || name === 'timestampDiff') {
    return `${name.toUpperCase()}(${[wordOf(first), ...rest.map(printExpression)].join(', ')})`;
  }
  return `${name}(${shown.join(', ')})`;
}

function wordOf(expression: Expression | undefined): string {
  return expression?.kind === 'literal' ? javaText(expression.value) : '';
}

function printLiteral(value: LiteralValue): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return javaText(value);
}

function printColumn(name: string): string {
  const isBare = name.split('.').every((part) => bareNamePattern.test(part) && !reservedWords.has(part.toUpperCase()));
  return isBare ? name : `"${name.replaceAll('"', '""')}"`;
}
