import { isQuireError } from '@quire/core';
import { JSONPathEnvironment, type JSONPathNode, type JSONPathQuery } from 'json-p3';
import { expressionFailed } from './expression-error.ts';
import { type FoundValue, type JaywayPath, parseJaywayPath, UnreadPath } from './json-path.ts';
import { memoize } from './memoize.ts';
import { isMap, type Value } from './value.ts';

const environment = new JSONPathEnvironment();
// These functions run patterns on the runtime's own engine, which a hostile pattern can block for
// years.
environment.functionRegister.delete('match');
environment.functionRegister.delete('search');

/** The maximum number of values that one path may find. */
const foundCountMax = 100_000;
/**
 * The maximum number of `..` and filters of one path: each may visit all descendants of all values
 * that the previous one found.
 */
const searchCountMax = 2;

/** A parsed JSON path. */
export interface JsonPath {
  /**
   * Returns the value if the path can name only one, null if it does not exist; otherwise an array
   * of all values found.
   *
   * @throws EXPRESSION_FAILED when the value is nested deeper than a path may search
   */
  find(value: Value): Value;
  /**
   * Returns the paths of the values found, in bracket notation. @throws EXPRESSION_FAILED as `find`
   */
  locate(value: Value): readonly string[];
}

/**
 * Parses a JSON path. Filters are evaluated as trees by json-p3; no part of a path is ever run as
 * code.
 *
 * @throws EXPRESSION_FAILED when the text is not a path
 */
export const parseJsonPath: (path: string) => JsonPath = memoize((path) => {
  if (path.split(/\.\.|\?/).length - 1 > searchCountMax) {
    throw expressionFailed(
      `The JSON path ‘${path.slice(0, 80)}’ has too many searches: at most ${searchCountMax} of .. and filters are allowed.`,
    );
  }
  return hasFilter(path) ? filteringPath(path) : plainPath(path);
});

function plainPath(path: string): JsonPath {
  const plain = readPlainPath(path);
  const { steps, isDefinite } = plain;
  const locate = (value: Value) => {
    if (path.trimEnd().endsWith(')')) {
      throw expressionFailed('The result of a function has no path.');
    }
    return plain.evaluate(value).map(({ at }) => at);
  };
  if (steps !== undefined) return { find: (value) => walk(value, steps), locate };
  return {
    find(value) {
      const found = plain.evaluate(value).map((each) => each.value);
      return isDefinite ? (found.at(-1) ?? null) : found;
    },
    locate,
  };
}

function readPlainPath(path: string): JaywayPath {
  try {
    return parseJaywayPath(path);
  } catch (error) {
    if (error instanceof UnreadPath) throw expressionFailed(error.message, error);
    throw error;
  }
}

/**
 * Evaluates paths with filters. The filters are those of RFC 9535, but the candidates are those of
 * Apache Pinot: the elements of a list, or an object itself.
 */
function filteringPath(path: string): JsonPath {
  if (!/\[\?\s*\(/.test(path)) {
    throw expressionFailed(
      `‘${path.slice(0, 80)}’ is not a JSON path: a filter must be in brackets.`,
    );
  }
  // Apache Pinot compares missing values with null, and numbers with texts of digits.
  if (/[!=]=\s*(?:null|(['"])[-+.\d]*\1)|(?:null|(['"])[-+.\d]*\2)\s*[!=]=/.test(path)) {
    throw expressionFailed(
      `‘${path.slice(0, 80)}’ compares with null or with a number as text, which is not supported here.`,
    );
  }
  const parts = filterParts(path);
  if (parts === undefined) {
    const query = compileQuery(path);
    return {
      find: (value) => collect(query, value, foundValue),
      locate: (value) => collect(query, value, (node) => node.getPath({ form: 'canonical' })),
    };
  }
  const query = compileQuery(`$${parts.filter}`);
  const [before, behind] = [readPlainPath(parts.before), readPlainPath(`$${parts.behind}`)];
  const evaluate = (root: Value): readonly FoundValue[] =>
    before.evaluate(root).flatMap(({ value, at }) => {
      const list = Array.isArray(value) ? (value as readonly Value[]) : undefined;
      if (list === undefined && !isMap(value)) return [];
      const chosen = collect(query, list ?? [value], (node) => ({
        value: node.value as Value,
        at: list === undefined ? at : `${at}[${String(node.location[0])}]`,
      }));
      return chosen.flatMap((each) =>
        behind.evaluate(each.value).map((found) => {
          return { value: found.value, at: `${each.at}${found.at.slice(1)}` };
        }),
      );
    });
  return {
    find: (value) => evaluate(value).map((each) => each.value),
    locate: (value) => evaluate(value).map((each) => each.at),
  };
}

/**
 * Returns the parts before, of and after a filter; undefined if there are several filters, a
 * search, or a filter that refers to the whole document.
 */
function filterParts(
  path: string,
): { readonly before: string; readonly filter: string; readonly behind: string } | undefined {
  const start = path.indexOf('[?');
  let [depth, end] = [0, start];
  for (const [symbol] of path.slice(start).matchAll(/'(?:\\.|[^'])*'|"(?:\\.|[^"])*"|./gs)) {
    end += symbol.length;
    if (symbol === '[') depth += 1;
    if (symbol === ']') depth -= 1;
    if (depth === 0) break;
  }
  const [before, filter, behind] = [path.slice(0, start), path.slice(start, end), path.slice(end)];
  const isPlain = !hasFilter(behind) && !before.includes('..') && !filter.includes('$');
  return isPlain && depth === 0 ? { before, filter, behind } : undefined;
}

function hasFilter(path: string): boolean {
  return path.includes('[?');
}

/**
 * Reports whether a path has a form that Apache Pinot supports and Quire does not: filters that RFC
 * 9535 lacks, and some functions.
 */
export const isUnread: (path: string) => boolean = memoize((path) => {
  try {
    if (!hasFilter(path)) parseJaywayPath(path);
    else if (/\[\?\s*\(/.test(path)) filteringPath(path);
    return false;
  } catch (error) {
    return hasFilter(path) || error instanceof UnreadPath;
  }
});

function compileQuery(path: string): JSONPathQuery {
  try {
    // Paths may leave out the root in Apache Pinot.
    return environment.compile(path.startsWith('$') ? path : `$.${path}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown syntax';
    throw expressionFailed(`‘${path.slice(0, 80)}’ is not a JSON path: ${reason}.`, error);
  }
}

/** Follows a path of member names and indexes, as most paths are, step by step. */
function walk(root: Value, steps: readonly (string | number)[]): Value {
  let value = root;
  for (const step of steps) {
    if (typeof step === 'number') {
      value = Array.isArray(value) ? ((value as readonly Value[]).at(step) ?? null) : null;
    } else value = memberOf(value, step);
  }
  return value;
}

function memberOf(value: Value, name: string): Value {
  // Objects as JSON.parse creates them are recognized by their constructor, in a fraction of the
  // time that it takes to rule out all classes of values.
  if (value === null || typeof value !== 'object') return null;
  if (value.constructor !== Object && !isMap(value)) return null;
  const members = value as { readonly [name: string]: Value };
  const member = members[name];
  // What objects inherit is functions and their prototype, which no value is.
  if (member === undefined || typeof member === 'function') return null;
  return name !== '__proto__' || Object.hasOwn(members, name) ? member : null;
}

// The library's type of values has no bigint; it passes them through unchanged.
const foundValue = (node: JSONPathNode) => node.value as Value;

/**
 * Reports whether a location is in a list or a map, and not inside a number object, which the
 * library treats as an object.
 */
function isMember(root: Value, location: readonly (string | number)[]): boolean {
  let value: Value = root;
  for (const step of location) {
    if (!Array.isArray(value) && !isMap(value)) return false;
    value = (value as Readonly<Record<string | number, Value>>)[step] ?? null;
  }
  return true;
}

function collect<T>(
  query: JSONPathQuery,
  value: Value,
  take: (node: JSONPathNode) => T,
): readonly T[] {
  try {
    const found: T[] = [];
    for (const node of query.lazyQuery(value as never)) {
      if (!isMember(value, node.location)) continue;
      found.push(take(node));
      if (found.length > foundCountMax) {
        throw expressionFailed(`A JSON path finds more than ${foundCountMax} values.`);
      }
    }
    return found;
  } catch (error) {
    if (isQuireError(error)) throw error;
    throw expressionFailed(
      `A JSON path failed: ${error instanceof Error ? error.message : 'unknown reason'}.`,
      error,
    );
  }
}
