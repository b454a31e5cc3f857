import { isQuireError } from '@quire/core';
import { jsonpath, JSONPathEnvironment, type JSONPathNode, type JSONPathQuery } from 'json-p3';
import type { SourceValue } from '../../row.ts';
import { expressionFailed } from '../expression-error.ts';
import { memoize } from '../memoize.ts';
import type { Parameter } from '../parameter.ts';
import { text } from '../parameters.ts';

const environment = new JSONPathEnvironment();
// They run patterns on the runtime's own engine, which a hostile pattern can keep busy for years.
environment.functionRegister.delete('match');
environment.functionRegister.delete('search');

/** Most values that one path may find. */
const foundCountMax = 100_000;
/** Most `..` and filters of one path: each may look at every value below every value that the one before it found. */
const searchCountMax = 2;

/** A JSON path (RFC 9535), ready to look into values. */
export interface JsonPath {
  /**
   * What lies there: the value itself where the path can only name one, null if it is not there; else an array of all.
   *
   * @throws EXPRESSION_FAILED when the value is nested deeper than a path may search
   */
  find(value: SourceValue): SourceValue;
  /** Where it finds values, as normalized paths (RFC 9535, 2.7). @throws EXPRESSION_FAILED as above */
  locate(value: SourceValue): readonly string[];
}

/**
 * Reads a JSON path. Filters are evaluated as trees by json-p3; no part of a path is ever run as code.
 *
 * @throws EXPRESSION_FAILED when the text is no path
 */
const parseJsonPath: (path: string) => JsonPath = memoize((path) => {
  const query = compileQuery(path);
  const locate = (value: SourceValue) => collect(query, value, (node) => node.getPath({ form: 'canonical' }));
  if (!query.singularQuery()) return { find: (value) => collect(query, value, foundValue), locate };
  const steps = stepsOf(query);
  return { find: (value) => walk(value, steps), locate };
});

/** A path as a function takes it. */
export const jsonPath: Parameter<JsonPath> = {
  type: 'path',
  read: (value, place) => parseJsonPath(text.read(value, place)),
};

function compileQuery(path: string): JSONPathQuery {
  if (path.split(/\.\.|\?/).length - 1 > searchCountMax) {
    throw expressionFailed(`‘${path.slice(0, 80)}’ searches too much; a JSON path may have ${searchCountMax} of .. and filters.`);
  }
  try {
    // The engine's paths may leave out the root.
    return environment.compile(path.startsWith('$') ? path : `$.${path}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown syntax';
    throw expressionFailed(`‘${path.slice(0, 80)}’ is no JSON path: ${reason}.`, error);
  }
}

/** Most paths only name members and elements: these are walked without the library, several times as fast. */
function stepsOf(query: JSONPathQuery): readonly (string | number)[] {
  return query.segments.map((segment) => {
    const [selector] = segment.selectors;
    if (selector instanceof jsonpath.selectors.NameSelector) return selector.name;
    if (selector instanceof jsonpath.selectors.IndexSelector) return selector.index;
    throw new TypeError('a singular path has names and indexes only');
  });
}

function walk(root: SourceValue, steps: readonly (string | number)[]): SourceValue {
  let value = root;
  for (const step of steps) {
    if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return null;
    if (typeof step === 'number') value = Array.isArray(value) ? ((value as readonly SourceValue[]).at(step) ?? null) : null;
    else value = member(value as Readonly<Record<string, SourceValue>>, step);
  }
  return value;
}

function member(value: Readonly<Record<string, SourceValue>>, name: string): SourceValue {
  return !Array.isArray(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

// The library's type of values has no bigint; it hands them through as they are.
const foundValue = (node: JSONPathNode) => node.value as SourceValue;

function collect<T>(query: JSONPathQuery, value: SourceValue, take: (node: JSONPathNode) => T): readonly T[] {
  try {
    const found: T[] = [];
    for (const node of query.lazyQuery(value as never)) {
      found.push(take(node));
      if (found.length > foundCountMax) throw expressionFailed(`A JSON path finds more than ${foundCountMax} values.`);
    }
    return found;
  } catch (error) {
    if (isQuireError(error)) throw error;
    throw expressionFailed(`A JSON path failed: ${error instanceof Error ? error.message : 'unknown reason'}.`, error);
  }
}
