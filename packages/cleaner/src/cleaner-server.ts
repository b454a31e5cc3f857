import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenError } from '@quire/core/process';
import { Registry } from 'prom-client';
import { CleanerMetrics } from './cleaner-metrics.ts';
import type { CleanerStatus } from './cleaner.ts';

/** Returns a new registry with the metrics of a cleaner, for a process that is only a cleaner. */
export function createCleanerMetrics(nameOf?: (ownerTag: number) => string | undefined): {
  readonly registry: Registry;
  readonly metrics: CleanerMetrics;
} {
  const registry = new Registry();
  return { registry, metrics: new CleanerMetrics(registry, undefined, nameOf) };
}

/** The address of `serveCleaner`, and the data that it serves. */
export interface CleanerServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly registry: Registry;
  readonly status: () => CleanerStatus;
  /** Returns the problems of the current settings file, in sentences. */
  readonly settingsProblems: () => readonly string[];
}

/** A running server for health and metrics; disposing closes it. */
export interface CleanerServer extends AsyncDisposable {
  readonly url: string;
}

/**
 * Serves `GET /health` and `GET /metrics` for monitoring. Health is 200 while the last sweep could
 * list the store, and 503 if it could not. Failures to free space are visible in the metrics, on
 * which alerts are based.
 *
 * @throws INVALID_SETTING when it cannot listen there, with the reason
 */
export async function serveCleaner(options: CleanerServerOptions): Promise<CleanerServer> {
  const server = createServer((request, response) => {
    const reply = async (): Promise<void> => {
      const path = (request.url ?? '').replace(/\?.*$/, '').replace(/\/+$/, '');
      response.setHeader('cache-control', 'no-store');
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { allow: 'GET, HEAD' }).end();
      } else if (path === '/health') sendHealth(options, response);
      else if (path === '/metrics') {
        const text = await options.registry.metrics();
        response.writeHead(200, { 'content-type': options.registry.contentType }).end(text);
      } else response.writeHead(404).end();
    };
    reply().catch(() => response.destroy());
  });
  const { host, port: wantedPort } = options;
  await new Promise<void>((resolve, reject) => {
    server
      .once('error', (error) => reject(listenError(error, { host, port: wantedPort })))
      .listen(wantedPort, host, resolve);
  });
  const { address, family, port } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendHealth(
  { status, settingsProblems }: CleanerServerOptions,
  response: ServerResponse,
): void {
  const { lastSweep, lastGoodSweepMs, lastError, settingsProblem } = status();
  const problems = [
    ...settingsProblems(),
    ...(settingsProblem === undefined ? [] : [settingsProblem]),
  ];
  const body = {
    status: lastError === undefined ? 'ok' : 'failing',
    lastSweepMs: lastSweep?.startTimeMs ?? null,
    lastGoodSweepMs: lastGoodSweepMs ?? null,
    isGood: lastSweep?.isGood ?? true,
    lastError: lastError ?? null,
    settingsProblems: problems.length,
    settingsProblem: problems.length === 0 ? null : problems.join(' '),
  };
  response
    .writeHead(lastError === undefined ? 200 : 503, { 'content-type': 'application/json' })
    .end(`${JSON.stringify(body)}\n`);
}
