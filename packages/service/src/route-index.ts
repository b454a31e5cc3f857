import { QuireError } from '@quire/core';
import type { RouteOptions } from 'fastify';

/**
 * The error for a call without a route, and the methods that its path supports, if the path is
 * known.
 */
export interface MissingRoute {
  readonly error: QuireError;
  readonly allowed: readonly string[];
}

/** Determines why a call has no route: its path is unknown, or does not support the method. */
export class RouteIndex {
  readonly #methods = new Map<string, { readonly pattern: RegExp; readonly methods: string[] }>();

  constructor(routes: readonly RouteOptions[]) {
    for (const { url, method } of routes) {
      const known = this.#methods.get(url) ?? { pattern: patternOf(url), methods: [] };
      for (const name of [method].flat()) {
        known.methods.push(...(name === 'GET' ? ['GET', 'HEAD'] : [name]));
      }
      this.#methods.set(url, known);
    }
  }

  explain(method: string, url: string): MissingRoute {
    const [path = ''] = url.split('?', 1);
    const known = [...this.#methods.values()].find(({ pattern }) => pattern.test(path));
    if (known === undefined) {
      return { error: new QuireError('ROUTE_NOT_FOUND', 'There is no such path.'), allowed: [] };
    }
    const message = `${method} is not allowed for this path; expected ${known.methods.join(', ')}.`;
    return { error: new QuireError('METHOD_NOT_ALLOWED', message), allowed: known.methods };
  }
}

function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:[A-Za-z]+/g, '[^/]+')}/?$`);
}
