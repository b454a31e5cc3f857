import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  brokerOperations,
  components,
  controllerOperations,
  metadataPath,
  pagePath,
  proxyOperations,
  routePatterns,
  storedResultPath,
} from '../src/index.ts';

const all = Object.entries(brokerOperations);

describe('operations', () => {
  it('operations are the calls of the contract', () => {
    expect(all.map(([, { method, path }]) => `${method} ${path}`)).toEqual([
      'POST /query/sql',
      'GET /query/:requestId/results',
      'GET /query/:requestId/metadata',
      'GET /query/:requestId',
      'GET /queries',
      'DELETE /query/:requestId',
      'GET /query/resultStore',
      'GET /query/usage',
      'GET /query/resultStore/:requestId',
      'DELETE /query/resultStore/:requestId',
      'DELETE /query/resultStore',
      'PATCH /query/resultStore/:requestId',
      'GET /query/:requestId/link',
      'POST /query',
      'GET /responseStore',
      'GET /responseStore/:requestId',
      'GET /responseStore/:requestId/results',
      'DELETE /responseStore/:requestId',
      'DELETE /responseStore',
      'GET /tables',
      'GET /tables/:tableName/schema',
      'GET /sweep',
      'GET /settings',
      'GET /health',
      'GET /metrics',
      'GET /openapi.json',
      'GET /docs',
    ]);
  });

  it('operations are named by their own names', () => {
    expect(all.map(([, { schema }]) => schema.operationId)).toEqual(all.map(([name]) => name));
  });

  it('operations tell of the path parameter exactly when the path has one', () => {
    const wrong = all.filter(
      ([, { path, schema }]) => path.includes(':') !== (schema.params !== undefined),
    );
    expect(wrong).toEqual([]);
  });

  it('operations can all be refused without credentials, except the health call', () => {
    const open = all
      .filter(([, { schema }]) => schema.response[401] === undefined)
      .map(([name]) => name);
    expect(open).toEqual(['readHealth']);
  });

  it('operations can be refused to pages of other origins exactly when they may change something', () => {
    const operations = Object.entries({
      ...brokerOperations,
      ...proxyOperations,
      ...controllerOperations,
    });
    const wrong = operations.filter(([, { method, schema }]) => {
      const isRefused = JSON.stringify(schema.response[403] ?? '').includes('ORIGIN_NOT_ALLOWED');
      return isRefused !== (method !== 'GET');
    });
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  it('operations describe every parameter and every response', () => {
    const bare: string[] = [];
    for (const [name, { schema }] of all) {
      const described = {
        ...schema.params?.properties,
        ...schema.querystring?.properties,
        ...schema.response,
      };
      for (const [key, value] of Object.entries(described)) {
        if (!('description' in value) || value.description === '') bare.push(`${name} ${key}`);
      }
    }
    expect(bare).toEqual([]);
  });

  it('operations refer to only the components', () => {
    const ids = components.map((schema) => (schema as { $id?: string }).$id);
    const references = JSON.stringify([brokerOperations, components]).matchAll(
      /"\$ref":"([^"]*)#"/g,
    );
    const dangling = [...references].map(([, id]) => id).filter((id) => !ids.includes(id));
    expect(dangling).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('paths', () => {
  it('paths hold the request id', () => {
    const id = '0190163d-8694-739b-aea5-966c26f8ad91';
    expect([pagePath(id), metadataPath(id), storedResultPath(id)]).toEqual([
      `/query/${id}/results`,
      `/query/${id}/metadata`,
      `/query/resultStore/${id}`,
    ]);
  });

  it('paths keep whatever they are given within one segment', () => {
    expect(pagePath('../x')).toBe('/query/..%2Fx/results');
    expect(storedResultPath('a/b?c')).toBe(`${routePatterns.resultStore}/a%2Fb%3Fc`);
  });
});

describe('the package', () => {
  it('the package imports nothing of Node, so that browsers can load it', () => {
    const folder = new URL('../src/', import.meta.url);
    const offenders = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => readFileSync(new URL(file, folder), 'utf8').includes("'node:"));
    expect(offenders).toEqual([]);
  });
});
