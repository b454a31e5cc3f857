import { toDouble, toLong, toText } from '../convert.ts';
import {
  elementOf,
  invalid,
  isArray,
  isNumeric,
  isText,
  type PinotType,
  type Typed,
  typed,
  typeOfName,
} from '../typed.ts';
import { at, type CallInfo, constantAt } from './function-rule.ts';

/** The context of a call of an aggregate. */
export interface AggregateCall extends CallInfo {
  readonly isDistinct: boolean;
  /** `FILTER (WHERE …)` in DuckDB's SQL. */
  readonly filter: string | undefined;
  /** `OVER (…)` in DuckDB's SQL. */
  readonly over: string | undefined;
  /** The `ORDER BY …` of WITHIN GROUP in DuckDB's SQL. */
  readonly order: string;
}

/** The translation of an aggregate to DuckDB's SQL. */
export interface AggregateRule {
  readonly arity: readonly [least: number, most: number];
  readonly translate: (values: readonly Typed[], call: AggregateCall) => Typed;
}

export type AggregateTable = Readonly<Record<string, AggregateRule>>;

/** Returns a call of one of DuckDB's aggregates with its filter and window. */
function aggregate(
  name: string,
  values: string,
  { isDistinct, filter, over }: AggregateCall,
  condition = '',
): string {
  const conditions = [filter, condition].filter((text) => text !== undefined && text !== '');
  const where = conditions.length === 0 ? '' : ` FILTER (WHERE ${conditions.join(' AND ')})`;
  return `${name}(${isDistinct ? 'DISTINCT ' : ''}${values})${where}${over === undefined ? '' : ` OVER ${over}`}`;
}

/** Returns all values of a column but nulls: for a multi-value column, those of all rows. */
function listOf(
  value: Typed,
  call: AggregateCall,
  element: (name: string) => string = (e) => e,
): string {
  if (isArray(value.type)) {
    const list = aggregate('list', value.sql, { ...call, isDistinct: false });
    return `list_transform(list_filter(flatten(${list}), lambda e: e IS NOT NULL), lambda e: ${element('e')})`;
  }
  return aggregate(
    'list',
    element(value.sql),
    { ...call, isDistinct: false },
    `${value.sql} IS NOT NULL`,
  );
}

function numberIn(value: Typed): string {
  const { type } = value;
  if (
    isNumeric(type) ||
    type === 'TIMESTAMP' ||
    type === 'BOOLEAN' ||
    type === 'NULL' ||
    isText(type)
  ) {
    return toDouble(value);
  }
  throw invalid(`A value of ${type} is not a number.`);
}

/** Aggregates the distinct values of a multi-value column in all rows. */
function ofDistinctValues(name: 'list_sum' | 'list_avg', value: Typed, call: AggregateCall): Typed {
  const distinct = `list_distinct(${listOf(value, call, (e) => `CAST(${e} AS DOUBLE)`)})`;
  return typed('DOUBLE', `${name}(${distinct})`);
}

const sum: AggregateRule = {
  arity: [1, 1],
  translate: (values, call) => {
    const value = at(values, 0);
    if (isArray(value.type) && call.isDistinct) return ofDistinctValues('list_sum', value, call);
    const added = isArray(value.type)
      ? `list_sum(CAST(${value.sql} AS DOUBLE[]))`
      : numberIn(value);
    return typed('DOUBLE', aggregate('sum', added, call));
  },
};

const avg: AggregateRule = {
  arity: [1, 1],
  translate: (values, call) => {
    const value = at(values, 0);
    if (!isArray(value.type)) return typed('DOUBLE', aggregate('avg', numberIn(value), call));
    if (call.isDistinct) return ofDistinctValues('list_avg', value, call);
    const total = aggregate('sum', `list_sum(CAST(${value.sql} AS DOUBLE[]))`, call);
    return typed('DOUBLE', `(${total} / ${aggregate('sum', `len(${value.sql})`, call)})`);
  },
};

const extreme = (name: 'min' | 'max'): AggregateRule => ({
  arity: [1, 1],
  translate: (values, call) => {
    const value = at(values, 0);
    if (isArray(value.type)) {
      return typed(elementOf(value.type), aggregate(name, `list_${name}(${value.sql})`, call));
    }
    return typed(value.type, aggregate(name, value.sql, call));
  },
});

const count: AggregateRule = {
  arity: [0, 20],
  translate: (values, call) => {
    const [value] = values;
    if (value === undefined) {
      return typed('LONG', aggregate('count', '*', { ...call, isDistinct: false }));
    }
    if (isArray(value.type)) {
      if (call.isDistinct) return typed('LONG', `len(list_distinct(${listOf(value, call)}))`);
      return typed(
        'LONG',
        `CAST(coalesce(${aggregate('sum', `len(${value.sql})`, call)}, 0) AS BIGINT)`,
      );
    }
    const counted =
      values.length === 1 ? value.sql : `(${values.map(({ sql }) => sql).join(', ')})`;
    return typed('LONG', aggregate('count', counted, call));
  },
};

const distinctCount: AggregateRule = {
  arity: [1, 3],
  translate: (values, call) => {
    const counted = count.translate(values.slice(0, 1), { ...call, isDistinct: true });
    return typed('INT', `CAST(${counted.sql} AS INTEGER)`);
  },
};

/** Returns a percentage. @throws QUERY_INVALID when it is not a constant from 0 to 100 */
function percentAt(values: readonly Typed[], index: number, call: CallInfo): number {
  const expected = 'a percentage from 0 to 100';
  const text = constantAt(values, index, call, expected);
  const percent = Number(text);
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent;
  throw invalid(`'${text}' of ${call.name} is not ${expected}.`);
}

/** Returns the value at position floor(n * p / 100) of n sorted values. */
function percentile(type: PinotType, given?: number): AggregateRule {
  return {
    arity: [given === undefined ? 2 : 1, given === undefined ? 3 : 2],
    translate: (values, call) => {
      const percent = given ?? percentAt(values, 1, call);
      const value = at(values, 0);
      const elementType = elementOf(value.type);
      // A DOUBLE has only 53 of the 64 bits of a LONG.
      const isWhole = type === 'LONG' && ['INT', 'LONG', 'TIMESTAMP'].includes(elementType);
      const list = listOf(value, call, (name) => {
        const one = typed(elementType, name);
        return isWhole ? toLong(one) : numberIn(one);
      });
      const element = `list_transform([list_sort(${list})], lambda sorted: sorted[CAST(least(len(sorted) - 1, floor(len(sorted) * ${percent} / 100)) + 1 AS BIGINT)])[1]`;
      return typed(
        type,
        type === 'LONG' && !isWhole ? `CAST(trunc(${element}) AS BIGINT)` : element,
      );
    },
  };
}

function estimatedPercentile(given?: number): AggregateRule {
  return {
    arity: [given === undefined ? 2 : 1, 3],
    translate: (values, call) => {
      const percent = given ?? percentAt(values, 1, call);
      const value = at(values, 0);
      if (isArray(value.type)) {
        return typed(
          'DOUBLE',
          `list_aggregate(CAST(${listOf(value, call)} AS DOUBLE[]), 'quantile_cont', ${percent / 100})`,
        );
      }
      return typed(
        'DOUBLE',
        aggregate('quantile_cont', `${numberIn(value)}, ${percent / 100}`, call),
      );
    },
  };
}

/** Defines an aggregate that DuckDB has under this name, with numbers as arguments. */
const same = (name: string, arity = 1): AggregateRule => ({
  arity: [arity, arity],
  translate: (values, call) =>
    typed('DOUBLE', aggregate(name, values.map(numberIn).join(', '), call)),
});

/** The most frequent value; the smallest of several equally frequent ones. */
const mode: AggregateRule = {
  arity: [1, 2],
  translate: (values, call) => {
    const reducer =
      values.length > 1 ? constantAt(values, 1, call, 'MIN, MAX or AVG').toUpperCase() : 'MIN';
    const entries = `map_entries(${aggregate('histogram', numberIn(at(values, 0)), call)})`;
    const most = `list_transform([${entries}], lambda h: list_transform(list_filter(h, lambda e: e.value = list_max(list_transform(h, lambda o: o.value))), lambda e: e.key))[1]`;
    const reduce = { MIN: 'list_min', MAX: 'list_max', AVG: 'list_avg' }[reducer];
    if (reduce === undefined) {
      throw invalid(`'${reducer}' of ${call.name} is not known: expected MIN, MAX or AVG.`);
    }
    return typed('DOUBLE', `${reduce}(${most})`);
  },
};

const range: AggregateRule = {
  arity: [1, 1],
  translate: (values, call) => {
    const value = at(values, 0);
    const isList = isArray(value.type);
    const [low, high] = (['min', 'max'] as const).map((name) =>
      aggregate(
        name,
        isList ? `list_${name}(CAST(${value.sql} AS DOUBLE[]))` : numberIn(value),
        call,
      ),
    );
    return typed('DOUBLE', `(${high} - ${low})`);
  },
};

const ofDistinct = (rule: AggregateRule): AggregateRule => ({
  ...rule,
  translate: (values, call) => rule.translate(values, { ...call, isDistinct: true }),
});

const boolean = (name: 'bool_and' | 'bool_or'): AggregateRule => ({
  arity: [1, 1],
  translate: (values, call) =>
    typed('BOOLEAN', aggregate(name, `CAST(${at(values, 0).sql} AS BOOLEAN)`, call)),
});

/** The value of the row with the first or the last time. */
const withTime = (name: 'arg_min' | 'arg_max'): AggregateRule => ({
  arity: [3, 3],
  translate: (values, call) => {
    const type = typeOfName(constantAt(values, 2, call, 'a type, such as STRING'));
    const value = at(values, 0);
    return typed(
      type === 'STRING' ? value.type : type,
      aggregate(name, `${value.sql}, ${toLong(at(values, 1))}`, call),
    );
  },
});

const arrayAgg: AggregateRule = {
  arity: [1, 3],
  translate: (values, call) => {
    const value = at(values, 0);
    const isDistinct = call.isDistinct || values[2]?.sql === 'true';
    const type = elementOf(value.type);
    const list = aggregate(
      'list',
      `${value.sql}${call.order}`,
      { ...call, isDistinct },
      `${value.sql} IS NOT NULL`,
    );
    return typed(`${type}_ARRAY`, `coalesce(${list}, [])`);
  },
};

const listAgg: AggregateRule = {
  arity: [2, 3],
  translate: (values, call) => {
    const isDistinct = call.isDistinct || values[2]?.sql === 'true';
    const separator = toText(at(values, 1));
    return typed(
      'STRING',
      aggregate('string_agg', `${toText(at(values, 0))}, ${separator}${call.order}`, {
        ...call,
        isDistinct,
      }),
    );
  },
};

const exactSum: AggregateRule = {
  arity: [1, 3],
  translate: (values, call) => {
    const value = at(values, 0);
    const decimal =
      value.type === 'BIG_DECIMAL'
        ? value.sql
        : `CAST(${value.sql} AS DECIMAL(38, ${value.type === 'INT' || value.type === 'LONG' ? 0 : 10}))`;
    return typed('BIG_DECIMAL', aggregate('sum', decimal, call));
  },
};

const counts: AggregateTable = Object.fromEntries(
  [
    'DISTINCTCOUNT',
    'DISTINCTCOUNTBITMAP',
    'DISTINCTCOUNTHLL',
    'DISTINCTCOUNTHLLPLUS',
    'DISTINCTCOUNTSMARTHLL',
    'DISTINCTCOUNTULL',
    'DISTINCTCOUNTCPC',
    'DISTINCTCOUNTTHETASKETCH',
    'SEGMENTPARTITIONEDDISTINCTCOUNT',
    'DISTINCTCOUNTOFFHEAP',
  ].map((name) => [name, distinctCount] as const),
);

const spreads: AggregateTable = {
  STDDEVPOP: same('stddev_pop'),
  STDDEVSAMP: same('stddev_samp'),
  VARPOP: same('var_pop'),
  VARSAMP: same('var_samp'),
  VARIANCE: same('var_samp'),
  COVARPOP: same('covar_pop', 2),
  COVARSAMP: same('covar_samp', 2),
  SKEWNESS: same('skewness'),
  KURTOSIS: same('kurtosis'),
};

const plain: AggregateTable = {
  COUNT: count,
  SUM: sum,
  SUM0: sum,
  AVG: avg,
  MIN: extreme('min'),
  MAX: extreme('max'),
  MODE: mode,
  MINMAXRANGE: range,
  DISTINCTSUM: ofDistinct(sum),
  DISTINCTAVG: ofDistinct(avg),
  BOOLAND: boolean('bool_and'),
  BOOLOR: boolean('bool_or'),
  FIRSTWITHTIME: withTime('arg_min'),
  LASTWITHTIME: withTime('arg_max'),
  ARRAYAGG: arrayAgg,
  LISTAGG: listAgg,
  STRINGAGG: listAgg,
  SUMPRECISION: exactSum,
  ANYVALUE: {
    arity: [1, 1],
    translate: (values, call) =>
      typed(at(values, 0).type, aggregate('any_value', at(values, 0).sql, call)),
  },
  PERCENTILE: percentile('DOUBLE'),
  PERCENTILEEST: percentile('LONG'),
  PERCENTILETDIGEST: estimatedPercentile(),
  PERCENTILEKLL: estimatedPercentile(),
  PERCENTILESMARTTDIGEST: estimatedPercentile(),
  ...counts,
  ...spreads,
};

/** The aggregates of multi-value columns have the suffix MV. */
const multiValued: AggregateTable = Object.fromEntries(
  Object.entries(plain)
    .filter(([name]) => /^(?:COUNT|SUM|AVG|MIN|MAX|MINMAXRANGE|PERCENTILE|DISTINCT)/.test(name))
    .map(([name, rule]) => [`${name}MV`, rule] as const),
);

/**
 * Returns the aggregate of a name in upper case and without underscores; the name may include a
 * percentage, as in PERCENTILE95.
 */
export function aggregateOf(name: string): AggregateRule | undefined {
  if (Object.hasOwn(plain, name)) return plain[name];
  if (Object.hasOwn(multiValued, name)) return multiValued[name];
  const [, family, percent] = /^PERCENTILE(|EST|TDIGEST|KLL)(\d\d?)(?:MV)?$/.exec(name) ?? [];
  if (percent === undefined) return undefined;
  if (family === '' || family === 'EST') {
    return percentile(family === '' ? 'DOUBLE' : 'LONG', Number(percent));
  }
  return estimatedPercentile(Number(percent));
}

/** Names of aggregates, except those with MV or a percentage. */
export const aggregateNames: readonly string[] = Object.keys(plain);
