import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { argumentOfParent, serveParent } from '../process/serve-parent.ts';
import { openArrowRival } from './arrow-rival.ts';
import { openDuckDbRival } from './duckdb-rival.ts';
import { openJsonLinesRival } from './json-lines-rival.ts';
import { openPostgresRival } from './postgres-rival.ts';
import type { Rival, RivalKind } from './rival.ts';
import { openStaticRival } from './static-rival.ts';
import { openWholeJsonRival } from './whole-json-rival.ts';

const openers: Readonly<Record<RivalKind, (path: string) => Promise<Rival>>> = {
  'static-file': openStaticRival,
  'duckdb-parquet': (path) => openDuckDbRival(path, { table: `'${path}'`, isJsonMadeInSql: false }),
  'duckdb-parquet-json': (path) =>
    openDuckDbRival(path, { table: `'${path}'`, isJsonMadeInSql: true }),
  'duckdb-table': (path) => openDuckDbRival(path, { table: 'stored.t', isJsonMadeInSql: false }),
  'apache-arrow': openArrowRival,
  'json-lines': openJsonLinesRival,
  'whole-json': openWholeJsonRival,
  'postgres-cursor': openPostgresRival,
};

const kind = argumentOfParent() as RivalKind;
/** One for each requested file or directory, which stays open. */
const rivals = new Map<string, Promise<Rival>>();
const server = createServer((request, response) => {
  respond(request.url ?? '', response).catch((error: unknown) => {
    response.writeHead(500).end(`${kind}: ${error instanceof Error ? error.stack : String(error)}`);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
serveParent(
  () => Promise.resolve((server.address() as AddressInfo).port),
  async () => {
    server.closeAllConnections();
    server.close();
    for (const rival of rivals.values()) await (await rival).close();
  },
);

async function respond(url: string, response: ServerResponse): Promise<void> {
  const parameters = new URL(url, 'http://rival').searchParams;
  const source = parameters.get('source') ?? '';
  const rival = rivals.get(source) ?? openers[kind](source);
  rivals.set(source, rival);
  const request = {
    offset: Number(parameters.get('offset')),
    rowCount: Number(parameters.get('rowCount')),
  };
  const page = await (await rival).page(request);
  const body = typeof page === 'string' ? Buffer.from(page) : page;
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.byteLength,
  });
  response.end(body);
}
