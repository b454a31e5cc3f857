import { type Expression, javaText, parseExpressionTree } from '../expressions/index.ts';
import type { CheckedTable } from './rule.ts';

/** Aggregations of one column whose value has one size, which can be kept up while rows come in. */
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

/** What some of them want of arguments behind the first, and of the type of their column. */
const demands: Readonly<
  Record<string, { readonly min: number; readonly max: number; readonly types: readonly string[] }>
> = {
  DISTINCTCOUNTHLL: { min: 1, max: 2, types: ['BYTES'] },
  DISTINCTCOUNTHLLPLUS: { min: 1, max: 3, types: ['BYTES'] },
  SUMPRECISION: { min: 2, max: 3, types: ['BIG_DECIMAL', 'BYTES'] },
};
const usualDemand = { min: 1, max: 1, types: undefined };

/**
 * What is wrong with an aggregation such as `SUM(price)` into a column of a type; undefined where
 * nothing is, or where the type is not known.
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
  if (first?.kind !== 'column') return `${name} is of a column, not of an expression.`;
  const isCounted = others.every((arg) => {
    return arg.kind === 'literal' && /^\d+$/.test(javaText(arg.value));
  });
  if (!isCounted) return `The arguments of ${name} behind the first are whole numbers.`;
  return type === undefined || types === undefined || types.includes(type)
    ? undefined
    : `What ${name} makes is ${types.join(' or ')}, but the column is ${type}.`;
}

/** The columns that the aggregations of a config read. */
export function aggregatedColumnsOf({
  ingestionConfig,
}: CheckedTable['config']): readonly string[] {
  return (ingestionConfig?.aggregationConfigs ?? []).flatMap(({ aggregationFunction = '' }) => {
    const first = callOf(aggregationFunction)?.args[0];
    return first?.kind === 'column' ? [first.name] : [];
  });
}

/** A call of an aggregation, its name without underscores and in capitals. */
function callOf(
  text: string,
): { readonly name: string; readonly args: readonly Expression[] } | undefined {
  // `*` is a column of that name, to which no other function comes.
  const read = parseExpressionTree(text.replace(/\(\s*\*\s*\)/, '("*")'));
  return read?.kind === 'call'
    ? { name: read.name.replaceAll('_', '').toUpperCase(), args: read.args }
    : undefined;
}
