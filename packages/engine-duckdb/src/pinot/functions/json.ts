import { quoteLiteral } from '../../conversion/column-plan.ts';
import { toText } from '../convert.ts';
import {
  elementOf,
  invalid,
  isArray,
  once,
  type PinotType,
  sqlTypeOf,
  type Typed,
  typed,
  typeOfName,
} from '../typed.ts';
import {
  at,
  type CallInfo,
  constantAt,
  type FunctionRule,
  type FunctionTable,
} from './function-rule.ts';

/** A path in DuckDB's syntax, and whether it may match several values. */
interface JsonPath {
  readonly text: string;
  readonly isMany: boolean;
}

/** @throws QUERY_INVALID for paths with conditions, functions or slices */
function pathOf(given: string, { name }: CallInfo): JsonPath {
  const steps = [
    ...given.matchAll(
      /\.\.?(?:[\p{L}_$][\p{L}\p{N}_$-]*|\*)|\['([^']*)'\]|\["([^"]*)"\]|\[(\d+|\*)\]/gu,
    ),
  ];
  if (!given.startsWith('$') || steps.map(([step]) => step).join('') !== given.slice(1)) {
    throw invalid(
      `The path '${given}' of ${name} has a step that the embedded engine does not support: it supports names, indexes, * and .. only.`,
    );
  }
  const text = steps.map(([step, single, double]) => {
    const key = single ?? double;
    if (key !== undefined) return `."${key}"`;
    const [, dots, word] = /^(\.\.?)([^*].*)$/.exec(step) ?? [];
    return word === undefined ? step : `${dots}"${word}"`;
  });
  const isMany = steps.some(([step]) => step.startsWith('..') || step.includes('*'));
  return { text: `$${text.join('')}`, isMany };
}

/** Converts one text of JSON to a value of a type. */
function valueOf(text: string, type: PinotType): string {
  switch (type) {
    case 'STRING':
    case 'JSON':
      return text;
    case 'INT':
    case 'LONG':
      return `CAST(trunc(CAST(${text} AS DECIMAL(38, 9))) AS ${sqlTypeOf(type)})`;
    case 'BOOLEAN':
      return `(lower(${text}) IN ('true', '1'))`;
    case 'TIMESTAMP':
      return `coalesce(epoch_ms(TRY_CAST(${text} AS BIGINT)), CAST(${text} AS TIMESTAMP))`;
    case 'BYTES':
      return `unhex(${text})`;
    default:
      return `CAST(${text} AS ${sqlTypeOf(type)})`;
  }
}

function extract(json: string, path: JsonPath, type: PinotType): string {
  const literal = quoteLiteral(path.text);
  if (isArray(type)) {
    const list = path.isMany
      ? `json_extract_string(${json}, ${literal})`
      : `CAST(json_extract(${json}, ${literal}) AS VARCHAR[])`;
    return `list_transform(${list}, lambda e: ${valueOf('e', elementOf(type))})`;
  }
  const text = path.isMany
    ? `CAST(to_json(json_extract(${json}, ${literal})) AS VARCHAR)`
    : `json_extract_string(${json}, ${literal})`;
  return valueOf(text, type);
}

const extractScalar: FunctionRule = {
  arity: [3, 4],
  translate: (values, call) => {
    const path = pathOf(constantAt(values, 1, call, 'a path, such as $.name'), call);
    const type = typeOfName(constantAt(values, 2, call, 'a type, such as INT'));
    const json = toText(at(values, 0));
    const otherwise = values[3];
    if (otherwise === undefined) return typed(type, extract(json, path, type));
    // With a default, a text that is not JSON has no values.
    const found =
      at(values, 0).type === 'JSON'
        ? extract(json, path, type)
        : once(json, (v) => extract(`CASE WHEN json_valid(${v}) THEN ${v} END`, path, type));
    const absent = otherwise.type === 'NULL' ? 'NULL' : valueOf(toText(otherwise), elementOf(type));
    return typed(
      type,
      `coalesce(${found}, ${isArray(type) && absent !== 'NULL' ? `[${absent}]` : absent})`,
    );
  },
};

/** Defines functions such as JSONPATHSTRING, which are named by their type. */
const ofType = (type: PinotType): FunctionRule => ({
  arity: [2, 3],
  translate: (values, call) => {
    const path = pathOf(constantAt(values, 1, call, 'a path, such as $.name'), call);
    const found = extract(toText(at(values, 0)), path, type);
    const otherwise = values[2];
    return typed(
      type,
      otherwise === undefined ? found : `coalesce(${found}, ${valueOf(toText(otherwise), type)})`,
    );
  },
});

/** Functions of JSON. */
export const jsonFunctions: FunctionTable = {
  JSONEXTRACTSCALAR: extractScalar,
  JSONPATHSTRING: ofType('STRING'),
  JSONPATHLONG: ofType('LONG'),
  JSONPATHDOUBLE: ofType('DOUBLE'),
  JSONFORMAT: { arity: [1, 1], translate: (values) => typed('STRING', toText(at(values, 0))) },
  TOJSONMAPSTR: {
    arity: [1, 1],
    translate: (values) => typed('STRING', `CAST(to_json(${at(values, 0).sql}) AS VARCHAR)`),
  },
  ISJSON: {
    arity: [1, 1],
    translate: (values: readonly Typed[]) =>
      typed('BOOLEAN', `json_valid(${toText(at(values, 0))})`),
  },
};
