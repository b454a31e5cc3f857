import { type Expression, javaText, parseExpressionTree } from '../expressions/index.ts';
import type { CheckedTable } from './rule.ts';

/** Aggregations of one column with a fixed-size value, which can be maintained during ingestion. */
export const ingestedAggregations: readonly string[] = [
  'COUNT',
  'COUNTMV',
  'SUM',
  'SUMMV',
  'MIN',
  'MAX',
  'AVG',
  'AVGMV',
  'MINMAXRANGE',
  'SUMPRECISION',
  'DISTINCTCOUNTHLL',
  'DISTINCTCOUNTRAWHLL',
  'DISTINCTCOUNTHLLPLUS',
  'DISTINCTCOUNTRAWHLLPLUS',
  'DISTINCTCOUNTULL',
  'DISTINCTCOUNTRAWULL',
  'DISTINCTCOUNTCPCSKETCH',
  'DISTINCTCOUNTRAWCPCSKETCH',
  'DISTINCTCOUNTTUPLESKETCH',
  'DISTINCTCOUNTRAWINTEGERSUMTUPLESKETCH',
  'AVGVALUEINTEGERSUMTUPLESKETCH',
  'SUMVALUESINTEGERSUMTUPLESKETCH',
];

/** The requirements of some of them: the number of arguments, and the type of their column. */
const demands: Readonly<
  Record<string, { readonly min: number; readonly max: number; readonly types: readonly string[] }>
> = {
  DISTINCTCOUNTHLL: { min: 1, max: 2, types: ['BYTES'] },
  DISTINCTCOUNTHLLPLUS: { min: 1, max: 3, types: ['BYTES'] },
  SUMPRECISION: { min: 2, max: 3, types: ['BIG_DECIMAL', 'BYTES'] },
};
const usualDemand = { min: 1, max: 1, types: undefined };

/**
 * Returns the problem of an aggregation such as `SUM(price)` into a column of a type; undefined if
 * there is none, or if the type is unknown.
 */
export function aggregationProblem(text: string, type: string | undefined): string | undefined {
  const call = callOf(text);
  const shown = `‘${text.slice(0, 100)}’`;
  if (call === undefined) return `${shown} is not an aggregation of a column, such as SUM(price).`;
  const { name, args } = call;
  if (!ingestedAggregations.includes(name)) {
    return `${shown} is not one of ${ingestedAggregations.join(', ')}.`;
  }
  const { min, max, types } = demands[name] ?? usualDemand;
  const [first, ...others] = args;
  if (args.length < min || args.length > max) {
    const count = min === max ? String(min) : `${min} to ${max}`;
    return `${name} takes ${count} ${max === 1 ? 'argument' : 'arguments'}, not ${args.length}.`;
  }
  if (first?.kind !== 'column') {
    return `The first argument of ${name} must be a column, not an expression.`;
  }
  const isCounted = others.every((arg) => {
    return arg.kind === 'literal' && /^\d+$/.test(javaText(arg.value));
  });
  if (!isCounted) return `The arguments of ${name} after the first must be whole numbers.`;
  return type === undefined || types === undefined || types.includes(type)
    ? undefined
    : `The result of ${name} has the type ${types.join(' or ')}, but its column has the type ${type}.`;
}

/** Returns the columns that the aggregations of a config read. */
export function aggregatedColumnsOf({
  ingestionConfig,
}: CheckedTable['config']): readonly string[] {
  return (ingestionConfig?.aggregationConfigs ?? []).flatMap(({ aggregationFunction = '' }) => {
    const first = callOf(aggregationFunction)?.args[0];
    return first?.kind === 'column' ? [first.name] : [];
  });
}

/** Parses a call of an aggregation; its name is returned without underscores and in upper case. */
function callOf(
  text: string,
): { readonly name: string; readonly args: readonly Expression[] } | undefined {
  // `*` is parsed as a column of that name, which no other function accepts.
  const read = parseExpressionTree(text.replace(/\(\s*\*\s*\)/, '("*")'));
  return read?.kind === 'call'
    ? { name: read.name.replaceAll('_', '').toUpperCase(), args: read.args }
    : undefined;
}
