import { isQuireError } from '@quire/core';
import type { SourceValue } from '../../row.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { nullable } from '../parameter.ts';
import { anything, boolean, double, long, text } from '../parameters.ts';
import { castValue, type CastType, castType } from '../values/cast.ts';
import { jsonDocument } from '../values/json-document.ts';
import { type JsonPath, jsonPath } from '../values/json-path.ts';
import { parseJson, writeJson } from '../values/json.ts';

type Open = () => SourceValue;

const document = nullable(jsonDocument);

/** What lies at a path, converted; null where nothing does. Text that is not JSON, and values of another type, are null too. */
function findOr<T>(open: Open | null, path: JsonPath, otherwise: T, convert: (value: Exclude<SourceValue, null>) => T): T {
  if (open === null) return otherwise;
  try {
    const found = path.find(open());
    return found === null ? otherwise : convert(found);
  } catch (error) {
    if (isQuireError(error, 'EXPRESSION_FAILED')) return otherwise;
    throw error;
  }
}

function textOf(value: Exclude<SourceValue, null>): string {
  return typeof value === 'string' ? value : writeJson(value);
}

function arrayOf(value: SourceValue): SourceValue {
  return value === null || Array.isArray(value) ? value : [value];
}

const wholeNumber = (value: Exclude<SourceValue, null>): SourceValue => long.read(value, 'the value at the path');
const fraction = (value: Exclude<SourceValue, null>): SourceValue => double.read(value, 'the value at the path');

/** Looking into JSON, and writing it. */
export const jsonFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'jsonFormat',
    aliases: ['toJsonMapStr'],
    takes: [anything],
    returns: 'text',
    does: 'Writes a value as JSON.',
    evaluate: (value) => writeJson(value),
  }),
  scalar({
    name: 'jsonPath',
    takes: [jsonDocument, jsonPath],
    returns: 'value',
    does: 'What lies at a path: one value, or an array where the path may find several; null where there is nothing.',
    evaluate: (open, path) => path.find(open()),
  }),
  scalar({
    name: 'jsonPathString',
    takes: [document, jsonPath],
    optionally: [nullable(text)],
    returns: 'text',
    does: 'What lies at a path as text, objects and arrays as JSON; else the default, or null.',
    evaluate: (open, path, otherwise = null) => findOr<SourceValue>(open, path, otherwise, textOf),
  }),
  scalar({
    name: 'jsonPathLong',
    aliases: ['jsonPathInt'],
    takes: [document, jsonPath],
    optionally: [nullable(long)],
    returns: 'integer',
    does: 'What lies at a path as an integer; else the default, or null.',
    evaluate: (open, path, otherwise = null) => findOr<SourceValue>(open, path, otherwise, wholeNumber),
  }),
  scalar({
    name: 'jsonPathDouble',
    takes: [document, jsonPath],
    optionally: [nullable(double)],
    returns: 'number',
    does: 'What lies at a path as a number; else the default, or null.',
    evaluate: (open, path, otherwise = null) => findOr<SourceValue>(open, path, otherwise, fraction),
  }),
  scalar({
    name: 'jsonPathBoolean',
    takes: [document, jsonPath],
    optionally: [nullable(boolean)],
    returns: 'boolean',
    does: 'What lies at a path as a boolean; else the default, or null.',
    evaluate: (open, path, otherwise = null) =>
      findOr<SourceValue>(open, path, otherwise, (value) => boolean.read(value, 'the value at the path')),
  }),
  scalar({
    name: 'jsonPathArray',
    takes: [jsonDocument, jsonPath],
    returns: 'array',
    does: 'What lies at a path as an array, a single value as an array of one; null where there is nothing.',
    evaluate: (open, path) => arrayOf(path.find(open())),
  }),
  scalar({
    name: 'jsonPathArrayDefaultEmpty',
    takes: [document, jsonPath],
    returns: 'array',
    does: 'As jsonPathArray, but an empty array where there is nothing.',
    evaluate: (open, path) => findOr<SourceValue>(open, path, [], arrayOf),
  }),
  scalar({
    name: 'jsonPathExists',
    takes: [jsonDocument, jsonPath],
    returns: 'boolean',
    does: 'Whether something other than null lies at a path.',
    evaluate: (open, path) => findOr<SourceValue>(open, path, false, () => true),
  }),
  scalar({
    name: 'jsonExtractScalar',
    takes: [document, jsonPath, castType],
    optionally: [nullable(anything)],
    returns: 'value',
    does: 'What lies at a path as a type such as `LONG` or `STRING`; else the default, or null.',
    evaluate: (open, path, type: CastType, otherwise = null) =>
      findOr<SourceValue>(open, path, otherwise, (value) => (type === 'STRING' ? textOf(value) : castValue(value, type))),
  }),
  scalar({
    name: 'jsonExtractKey',
    takes: [jsonDocument, jsonPath],
    returns: 'array',
    does: "Where the values lie that a path finds, as `$['a'][0]`.",
    evaluate: (open, path) => path.locate(open()),
  }),
  scalar({
    name: 'jsonStringToArray',
    takes: [text],
    returns: 'array',
    does: 'Reads a JSON array; null for any other text.',
    evaluate: (given) => (given.trimStart().startsWith('[') ? parseOrNull(given) : null),
  }),
  scalar({
    name: 'jsonStringToMap',
    takes: [text],
    returns: 'map',
    does: 'Reads a JSON object; null for any other text.',
    evaluate: (given) => (given.trimStart().startsWith('{') ? parseOrNull(given) : null),
  }),
  scalar({
    name: 'jsonStringToListOrMap',
    takes: [text],
    returns: 'value',
    does: 'Reads a JSON array or object; null for any other text.',
    evaluate: (given) => (/^\s*[[{]/.test(given) ? parseOrNull(given) : null),
  }),
  scalar({
    name: 'isJson',
    takes: [text],
    returns: 'boolean',
    does: 'Whether a text is JSON.',
    evaluate: (given) => given.trim() === 'null' || parseOrNull(given) !== null,
  }),
];

function parseOrNull(given: string): SourceValue {
  try {
    return parseJson(given);
  } catch (error) {
    if (isQuireError(error, 'EXPRESSION_FAILED')) return null;
    throw error;
  }
}
