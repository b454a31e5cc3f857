import { operations } from '@quire/api';
import { QuireError } from '@quire/core';

/** For each path of the API, by a pattern of it, the methods that it takes. */
const methodsByPattern = new Map<string, Set<string>>();
for (const { method, path } of Object.values(operations)) {
  const methods = methodsByPattern.get(path) ?? new Set();
  methods.add(method);
  if (method === 'GET') methods.add('HEAD');
  methodsByPattern.set(path, methods);
}

/** The error for a call that has no route, and the methods that its path does take, if it is one of ours. */
export function routeNotFound(method: string, url: string): { readonly error: QuireError; readonly allowed: readonly string[] } {
  const [path = ''] = url.split('?', 1);
  const allowed = [...methodsByPattern].find(([pattern]) => toRegExp(pattern).test(path));
  if (allowed === undefined) {
    return { error: new QuireError('ROUTE_NOT_FOUND', 'There is no such path; GET /openapi.json lists all.'), allowed: [] };
  }
  const methods = [...allowed[1]];
  return {
    error: new QuireError('METHOD_NOT_ALLOWED', `${method} is not for this path; it takes ${methods.join(', ')}.`),
    allowed: methods,
  };
}

function toRegExp(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/:[A-Za-z]+/g, '[^/]+')}/?$`);
}
