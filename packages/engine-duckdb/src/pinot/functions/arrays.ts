import { commonType, comparable, convert, toInt, toText } from '../convert.ts';
import {
  arrayOf,
  elementOf,
  invalid,
  isArray,
  type PinotType,
  type Typed,
  typed,
} from '../typed.ts';
import { at, type CallInfo, type FunctionRule, type FunctionTable } from './function-rule.ts';

function arrayAt(values: readonly Typed[], index: number, call: CallInfo): Typed {
  const value = at(values, index);
  if (isArray(value.type)) return value;
  throw invalid(
    `Argument ${index + 1} of ${call.name} is ${value.type}; expected a multi-value type.`,
  );
}

type Write = (
  array: string,
  values: readonly Typed[],
  element: ReturnType<typeof elementOf>,
) => string;

const ofArray = (
  arity: readonly [number, number],
  type: PinotType | 'element' | 'array',
  write: Write,
): FunctionRule => ({
  arity,
  translate: (values, call) => {
    const array = arrayAt(values, 0, call);
    const element = elementOf(array.type);
    const own = type === 'element' ? element : type === 'array' ? array.type : type;
    return typed(own, write(array.sql, values, element));
  },
});

const length = ofArray([1, 1], 'INT', (array) => `CAST(len(${array}) AS INTEGER)`);

/** Converts a value for comparison with the elements of an array. */
function member(
  values: readonly Typed[],
  index: number,
  element: ReturnType<typeof elementOf>,
): string {
  return comparable(typed(element, 'e'), at(values, index))[1].sql;
}

/** Functions whose names end with the type that they are for. */
const typedForms: Readonly<Record<string, FunctionRule>> = {
  ARRAYREVERSE: ofArray([1, 1], 'array', (array) => `list_reverse(${array})`),
  ARRAYSORT: ofArray([1, 1], 'array', (array) => `list_sort(${array})`),
  // In the order of their first occurrence.
  ARRAYDISTINCT: ofArray(
    [1, 1],
    'array',
    (array) => `list_filter(${array}, lambda e, n: list_position(${array}, e) = n)`,
  ),
  ARRAYCONTAINS: ofArray(
    [2, 2],
    'BOOLEAN',
    (array, values, element) => `list_contains(${array}, ${member(values, 1, element)})`,
  ),
  ARRAYINDEXOF: ofArray(
    [2, 2],
    'INT',
    (array, values, element) =>
      `CAST(coalesce(list_position(${array}, ${member(values, 1, element)}), 0) - 1 AS INTEGER)`,
  ),
  ARRAYREMOVE: ofArray(
    [2, 2],
    'array',
    (array, values, element) =>
      `list_filter(${array}, lambda e, n: n <> coalesce(list_position(${array}, ${member(values, 1, element)}), 0))`,
  ),
  ARRAYSLICE: ofArray(
    [3, 3],
    'array',
    (array, values) => `${array}[${toInt(at(values, 1))} + 1:${toInt(at(values, 2))}]`,
  ),
  ARRAYCONCAT: ofArray(
    [2, 2],
    'array',
    (array, values) => `list_concat(${array}, ${at(values, 1).sql})`,
  ),
  ARRAYUNION: ofArray([2, 2], 'array', (array, values) => {
    const all = `list_concat(${array}, ${at(values, 1).sql})`;
    return `list_filter(${all}, lambda e, n: list_position(${all}, e) = n)`;
  }),
  ARRAYELEMENTAT: ofArray([2, 2], 'element', (array, values, element) => {
    const absent = element === 'STRING' ? "''" : '0';
    return `coalesce(${array}[${toInt(at(values, 1))}], ${absent})`;
  }),
};

/** Functions of multi-value columns. */
export const arrayFunctions: FunctionTable = {
  ARRAYLENGTH: length,
  CARDINALITY: length,
  ARRAYMIN: ofArray([1, 1], 'element', (array) => `list_min(${array})`),
  ARRAYMAX: ofArray([1, 1], 'element', (array) => `list_max(${array})`),
  ARRAYSUM: ofArray([1, 1], 'DOUBLE', (array) => `list_sum(CAST(${array} AS DOUBLE[]))`),
  ARRAYAVERAGE: ofArray([1, 1], 'DOUBLE', (array) => `list_avg(CAST(${array} AS DOUBLE[]))`),
  ARRAYTOSTRING: ofArray(
    [2, 3],
    'STRING',
    (array, values, element) =>
      `array_to_string(list_transform(${array}, lambda e: ${toText(typed(element, 'e'))}), ${toText(at(values, 1))})`,
  ),
  ARRAYTOMV: { arity: [1, 1], translate: (values, call) => arrayAt(values, 0, call) },
  VALUEIN: ofArray([2, 1000], 'array', (array, values, element) => {
    const wanted = values.slice(1).map((_, index) => member(values, index + 1, element));
    return `list_filter(${array}, lambda e: e IN (${wanted.join(', ')}))`;
  }),
  ARRAYVALUECONSTRUCTOR: {
    arity: [1, 1000],
    translate: (values) => arrayConstructor(values),
  },
  ...Object.fromEntries(
    Object.entries(typedForms).flatMap(([name, rule]) =>
      ['', 'INT', 'LONG', 'FLOAT', 'DOUBLE', 'STRING'].map(
        (suffix) => [name + suffix, rule] as const,
      ),
    ),
  ),
};

/** Returns `ARRAY[1, 2]`. */
export function arrayConstructor(values: readonly Typed[]): Typed {
  const type = commonType(values);
  const element = type === 'NULL' ? 'INT' : elementOf(type);
  return typed(
    arrayOf(element),
    `[${values.map((value) => convert(value, element).sql).join(', ')}]`,
  );
}
