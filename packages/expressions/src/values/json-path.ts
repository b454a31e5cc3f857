import { isQuireError } from '@quire/core';
import { jsonpath, JSONPathEnvironment, type JSONPathNode, type JSONPathQuery } from 'json-p3';
import { expressionFailed } from '../language/expression-error.ts';
import { memoize } from './memoize.ts';
import { isMap, type Value } from './value.ts';

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
  find(value: Value): Value;
  /** Where it finds values, as normalized paths (RFC 9535, 2.7). @throws EXPRESSION_FAILED as above */
  locate(value: Value): readonly string[];
}

/**
 * Reads a JSON path. Filters are evaluated as trees by json-p3; no part of a path is ever run as code.
 *
 * @throws EXPRESSION_FAILED when the text is not a path
 */
export const parseJsonPath: (path: string) => JsonPath = memoize((path) => {
  const query = compileQuery(path);
  const locate = (value: Value) => collect(query, value, (node) => node.getPath({ form: 'canonical' }));
  if (!query.singularQuery()) return { find: (value) => collect(query, value, foundValue), locate };
  const steps = stepsOf(query);
  return { find: (value) => walk(value, steps), locate };
});

function compileQuery(path: string): JSONPathQuery {
  if (path.split(/\.\.|\?/).length - 1 > searchCountMax) {
    throw expressionFailed(`‘${path.slice(0, 80)}’ searches too much; a JSON path may have ${searchCountMax} of .. and filters.`);
  }
  try {
    // The engine's paths may leave out the root.
    return environment.compile(path.startsWith('$') ? path : `$.${path}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown syntax';
    throw expressionFailed(`‘${path.slice(0, 80)}’ is not a JSON path: ${reason}.`, error);
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

function walk(root: Value, steps: readonly (string | number)[]): Value {
  let value = root;
  for (const step of steps) {
    if (typeof step === 'number') value = Array.isArray(value) ? ((value as readonly Value[]).at(step) ?? null) : null;
    else value = isMap(value) && Object.hasOwn(value, step) ? (value[step] ?? null) : null;
  }
  return value;
}

// The library's type of values has no bigint; it hands them through as they are.
const foundValue = (node: JSONPathNode) => node.value as Value;

function collect<T>(query: JSONPathQuery, value: Value, take: (node: JSONPathNode) => T): readonly T[] {
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
