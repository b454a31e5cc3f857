import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { errorStatuses } from '@quire/api';
import { isQuireError, isRequestId, type QueryEngine, QuireError } from '@quire/core';
import type { ResultStore } from '@quire/results';

/**
 * A broker of one's own: `POST /queries` with SQL in the body stores an answer, and `GET
 * /results/<id>?offset=0&rows=100` is a page of it, as JSON or, with `&format=csv`, as text. The
 * table of `@quire/api` gives each error code its HTTP status.
 */
export function createOwnBroker(engine: QueryEngine, results: ResultStore): Server {
  return createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const known = isQuireError(error)
        ? error
        : new QuireError('INTERNAL', 'The server failed.', { cause: error });
      if (response.headersSent) response.destroy();
      else {
        sendJson(response, errorStatuses[known.code], { error: known.message, reason: known.code });
      }
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here');
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    if (request.method === 'POST' && pathname === '/queries') {
      const { signal } = gone;
      await using execution = await engine.execute(
        { sql: await text(request) },
        { signal, limits: { timeoutMs: 60_000 } },
      );
      const { entry } = await results.create(execution, { owner: 'everybody', signal });
      sendJson(response, 201, { id: entry.requestId, rowCount: entry.rowCount });
      return;
    }
    const [, id] = /^\/results\/([^/]+)$/.exec(pathname) ?? [];
    if (request.method !== 'GET' || id === undefined) {
      throw new QuireError('ROUTE_NOT_FOUND', `There is no ${pathname}.`);
    }
    if (!isRequestId(id)) throw new QuireError('RESULT_NOT_FOUND', `There is no result ${id}.`);
    const format = searchParams.get('format') === 'csv' ? 'csv' : 'json';
    const result = await results.open(id, { signal: gone.signal });
    const page = result.page({ offset: integer('offset', 0), rowCount: integer('rows', 100) });
    response.setHeader('content-type', format === 'csv' ? 'text/csv' : 'application/json');
    await pipeline(page.encode(format, { signal: gone.signal }), response);

    function integer(name: string, otherwise: number): number {
      const value = Number(searchParams.get(name) ?? otherwise);
      if (Number.isSafeInteger(value) && value >= 0) return value;
      throw new QuireError(
        'INVALID_PARAMETER',
        `${name} is ${searchParams.get(name)}; expected an integer, 0 or more.`,
      );
    }
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
