import { isQuireError } from '@quire/core';
import { expressionFailed } from '../values/expression-error.ts';
import {
  boolean,
  define,
  defineNullable,
  double,
  type FunctionDefinition,
  long,
  map,
  object,
  text,
  type Type,
} from './function-definition.ts';
import { toDouble, toLong, toMap, toText } from '../values/convert.ts';
import { javaText } from '../values/text.ts';
import { parseJson, writeJson } from '../values/json.ts';
import { isUnread, type JsonPath, parseJsonPath } from '../values/json-path-search.ts';
import { isMap, type PresentValue, type Value } from '../values/value.ts';

const path: Type<JsonPath> = {
  name: 'String',
  read: (value) => parseJsonPath(toText(value)),
  write: () => null,
};
/** A map, or the JSON of a map or of null. */
const mapOrNull: Type<Value> = {
  name: 'Map',
  read: (value) => (value === 'null' ? null : toMap(value)),
  write: (raw) => raw,
};
/** A path that is parsed at its first use, so that an invalid path also gives the default. */
const lazyPath: Type<JsonPath> = {
  name: 'String',
  read: (value) => {
    const at = toText(value);
    let read: JsonPath | undefined;
    const parsed = (): JsonPath => (read ??= parseJsonPath(at));
    // A form that Apache Pinot supports and Quire does not must not give the default.
    if (isUnread(at)) parsed();
    return { find: (within) => parsed().find(within), locate: (within) => parsed().locate(within) };
  },
  write: () => null,
};
const list: Type<readonly Value[]> = { name: 'Object', read: () => [], write: (raw) => raw };

/** The result for a missing number if no default is given. */
const noLong = -(2n ** 63n);

/**
 * Functions of JSON text, maps and lists. Paths use the syntax of Jayway's library; a path without
 * a match returns null.
 */
export const jsonFunctions: readonly FunctionDefinition[] = [
  define('jsonFormat', [object], text, writeJson, 'The value as JSON.', "jsonFormat('a')"),
  defineNullable(
    'toJsonMapStr',
    [mapOrNull],
    text,
    writeJson,
    'A map as JSON.',
    `toJsonMapStr('{"a":1}')`,
  ),
  define(
    'isJson',
    [text],
    boolean,
    (given) => given.trim() === '' || attempt(() => parseJson(given)) !== undefined,
    'Whether the text starts with JSON.',
    `isJson('{"a":1}')`,
  ),
  define(
    'jsonPath',
    [object, path],
    object,
    find,
    'The value at a path, or the list of all values if the path can match several.',
    `jsonPath('{"a":[1,2]}', '$.a[0]')`,
  ),
  define(
    'jsonPathString',
    [object, path],
    text,
    (given, at) => textAt(given, at),
    'The value at a path as text.',
    `jsonPathString('{"a":{"b":1}}', '$.a')`,
  ),
  defineNullable(
    'jsonPathString',
    [object, lazyPath, text],
    text,
    (given, at, otherwise) => attempt(() => textAt(given, at)) ?? otherwise,
    'The value at a path as text, or the third argument.',
    `jsonPathString('{"a":1}', '$.b', 'none')`,
  ),
  define(
    'jsonPathLong',
    [object, lazyPath],
    long,
    (given, at) => longAt(given, at) ?? noLong,
    'The value at a path as a long; the smallest long if there is none.',
    `jsonPathLong('{"a":7}', '$.a')`,
  ),
  defineNullable(
    'jsonPathLong',
    [object, lazyPath, long],
    long,
    (given, at, otherwise) => longAt(given, at) ?? otherwise,
    'The value at a path as a long, or the third argument.',
    `jsonPathLong('{"a":7}', '$.b', 0)`,
  ),
  define(
    'jsonPathDouble',
    [object, lazyPath],
    double,
    (given, at) => doubleAt(given, at) ?? Number.NaN,
    'The value at a path as a double; NaN if there is none.',
    `jsonPathDouble('{"a":1.5}', '$.a')`,
  ),
  defineNullable(
    'jsonPathDouble',
    [object, lazyPath, double],
    double,
    (given, at, otherwise) => doubleAt(given, at) ?? otherwise,
    'The value at a path as a double, or the third argument.',
    `jsonPathDouble('{"a":1.5}', '$.b', 0)`,
  ),
  define(
    'jsonPathArray',
    [object, path],
    list,
    (given, at) => listAt(given, at),
    'The value at a path as a list.',
    `jsonPathArray('{"a":[1,2]}', '$.a[*]')`,
  ),
  defineNullable(
    'jsonPathArrayDefaultEmpty',
    [object, lazyPath],
    list,
    (given, at) => attempt(() => listAt(given, at)) ?? [],
    'The value at a path as a list; empty if there is none.',
    `jsonPathArrayDefaultEmpty('{"a":1}', '$.b')`,
  ),
  define(
    'jsonPathExists',
    [object, lazyPath],
    boolean,
    (given, at) => (attempt(() => find(given, at)) ?? null) !== null,
    'Whether the path has a value.',
    `jsonPathExists('{"a":1}', '$.a')`,
  ),
  define(
    'jsonExtractKey',
    [object, text],
    list,
    locate,
    'The paths of the values at a path; of all values if it is empty.',
    `jsonExtractKey('{"a":{"b":1}}', '$.*')`,
  ),
  define(
    'jsonExtractKey',
    [object, text, text],
    list,
    extractKeys,
    'The paths of the values at a path, to a depth, optionally in dot notation: `maxDepth=2;dotNotation=true`.',
    `jsonExtractKey('{"a":{"b":1}}', '', 'dotNotation=true')`,
  ),
  define(
    'jsonKeyValueArrayToMap',
    [object],
    map,
    (given) => keyedMap(given, 'key', 'value'),
    'A map of texts from a list of objects with `key` and `value`.',
    `jsonKeyValueArrayToMap('[{"key":"a","value":1}]')`,
  ),
  define(
    'jsonKeyValueArrayToMap',
    [object, text, text],
    map,
    keyedMap,
    'A map of texts from a list of objects, with the given names of the members for key and value.',
    `jsonKeyValueArrayToMap('[{"k":"a","v":1}]', 'k', 'v')`,
  ),
  define(
    'jsonStringToArray',
    [text],
    list,
    (given) => structure(given, '[') as readonly Value[] | null,
    'A list from JSON, or null.',
    "jsonStringToArray('[1,2]')",
  ),
  define(
    'jsonStringToMap',
    [text],
    object,
    (given) => structure(given, '{'),
    'A map from JSON, or null.',
    `jsonStringToMap('{"a":1}')`,
  ),
  define(
    'jsonStringToListOrMap',
    [text],
    object,
    (given) => structure(given, '[{'),
    'A list or a map from JSON, or null.',
    "jsonStringToListOrMap('[1]')",
  ),
];

function find(given: Value, at: JsonPath | null): Value {
  if (at === null || given === null) {
    throw expressionFailed('The value to which the JSON path is applied is null.');
  }
  return at.find(documentOf(given));
}

/**
 * The last text that was parsed: the transforms of a row often read one document several times.
 * Parsed documents are never changed.
 */
let lastText = 'null';
let lastDocument: Value = null;

function documentOf(given: Value): Value {
  if (typeof given !== 'string') return given;
  if (given === '') throw expressionFailed('An empty text is not JSON.');
  const document = given === lastText ? lastDocument : parseJson(given);
  [lastText, lastDocument] = [given, document];
  if (document === null) throw expressionFailed('A JSON path cannot be applied to a JSON null.');
  return document;
}

function textAt(given: Value, at: JsonPath | null): string | null {
  const found = find(given, at);
  return found === null || typeof found === 'string' ? found : writeJson(found);
}

function longAt(given: Value, at: JsonPath | null): bigint | undefined {
  const found = attempt(() => find(given, at)) ?? null;
  return found === null || typeof found === 'boolean' || Array.isArray(found)
    ? undefined
    : attempt(() => toLong(untrimmed(found)));
}

function doubleAt(given: Value, at: JsonPath | null): number | undefined {
  const found = attempt(() => find(given, at)) ?? null;
  return found === null || typeof found === 'boolean' || Array.isArray(found)
    ? undefined
    : attempt(() => toDouble(found));
}

/** Numbers with white space around them are not accepted here. */
function untrimmed(found: PresentValue): PresentValue {
  return typeof found === 'string' && /\s/.test(found) ? 'x' : found;
}

function listAt(given: Value, at: JsonPath | null): readonly Value[] | null {
  const found = find(given, at);
  return found === null ? null : Array.isArray(found) ? (found as readonly Value[]) : [found];
}

function structure(given: string, opening: string): Value {
  const trimmed = given.trim();
  return opening.includes(trimmed.slice(0, 1) || ' ')
    ? (attempt(() => parseJson(trimmed)) ?? null)
    : null;
}

function keyedMap(
  given: Value,
  keyName: string,
  valueName: string,
): Readonly<Record<string, Value>> {
  const text = Array.isArray(given) ? '' : javaText(given);
  const elements = Array.isArray(given)
    ? (given as readonly Value[])
    : text.trim() === ''
      ? []
      : parseJson(text);
  if (isMap(elements) && Object.keys(elements).length > 0) {
    throw expressionFailed('Expected a list of objects, found an object.');
  }
  if (!Array.isArray(elements)) return {};
  const members = (elements as readonly Value[]).map((element): readonly [string, Value] => {
    const entry = typeof element === 'string' ? parseJson(element) : element;
    if (!isMap(entry)) throw expressionFailed('Expected a list of objects.');
    if (
      !Array.isArray(given) &&
      !(Object.hasOwn(entry, keyName) && Object.hasOwn(entry, valueName))
    ) {
      throw expressionFailed(`Expected objects with ${keyName} and ${valueName}.`);
    }
    const [key = null, value = null] = [entry[keyName], entry[valueName]];
    return Array.isArray(given) ? [scalarText(key), value] : [scalarText(key), scalarText(value)];
  });
  return Object.fromEntries(members);
}

/** Returns a scalar as text, and an empty text for lists and objects. */
function scalarText(value: Value): string {
  if (typeof value === 'string') return value;
  return isMap(value) || Array.isArray(value) ? '' : writeJson(value);
}

function locate(given: Value, at: string): readonly string[] {
  return parseJsonPath(at === '' || at === '$..**' ? '$..*' : at).locate(
    typeof given === 'string' ? documentOf(given) : withoutLists(given),
  );
}

/**
 * Removes lists: paths are searched in the lists of a JSON text only, because the lists of a row
 * are Java arrays.
 */
function withoutLists(given: Value): Value {
  if (!isMap(given)) return null;
  return Object.fromEntries(
    Object.entries(given).map(([name, member]) => [name, withoutLists(member)]),
  );
}

function extractKeys(given: Value, at: string, options: string): readonly string[] {
  const { depth, hasDots } = readOptions(options);
  if (depth === 0) return [];
  if (at === '' || at === '$..**' || at === '$..') {
    return attempt(() => allKeys(documentOf(given), hasDots ? '' : '$', depth, hasDots)) ?? [];
  }
  const paths = locate(given, at).filter((each) => each.split('[').length - 1 <= depth);
  return hasDots
    ? paths.map((each) =>
        each
          .slice(1)
          .replaceAll(
            /\['(.*?)'\]|\[(\d+)\]/g,
            (_, name?: string, index?: string) => `.${name ?? index}`,
          )
          .replace(/^\./, ''),
      )
    : paths;
}

function readOptions(options: string): { readonly depth: number; readonly hasDots: boolean } {
  let [depth, hasDots] = [Number.POSITIVE_INFINITY, false];
  for (const option of options.split(';').map((each) => each.trim())) {
    if (option === '') continue;
    const [name = '', value = '', ...rest] = option.split('=').filter((each) => each !== '');
    if (rest.length > 0 || value === '') {
      throw expressionFailed(
        `‘${option}’ is not an option: expected maxDepth=2 or dotNotation=true.`,
      );
    }
    if (name.trim().toUpperCase() === 'MAXDEPTH') {
      depth = Number(toLong(value));
      if (depth < 0) depth = Number.POSITIVE_INFINITY;
    } else if (name.trim().toUpperCase() === 'DOTNOTATION') {
      hasDots = value.trim().toLowerCase() === 'true';
    } else throw expressionFailed(`‘${name}’ is not an option: expected maxDepth or dotNotation.`);
  }
  return { depth, hasDots };
}

function allKeys(value: Value, at: string, depth: number, hasDots: boolean): readonly string[] {
  if (depth < 1 || value === null || typeof value !== 'object') return [];
  const isList = Array.isArray(value);
  if (!isList && !isMap(value)) return [];
  return Object.entries(value as Readonly<Record<string, Value>>).flatMap(([name, member]) => {
    const here = hasDots
      ? at === ''
        ? name
        : `${at}.${name}`
      : isList
        ? `${at}[${name}]`
        : `${at}['${name}']`;
    return [here, ...allKeys(member, here, depth - 1, hasDots)];
  });
}

/** Returns the value, or undefined if the evaluation fails. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
    return undefined;
  }
}
