import { type ClusterHealthResponse, controllerOperations, routePatterns } from '@quire/api';
import { requireRole } from '@quire/auth';
import { QuireError } from '@quire/core';
import { principalOf, routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import { askBrokers } from '../ask-brokers.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { CleaningStatus } from '../expiry-job.ts';
import { assertStatus } from '../result-calls.ts';

type BrokerState = ClusterHealthResponse['brokers'][number];

/** The most that is read of what calls itself a health report. */
const reportBytesMax = 65_536;

/** GET /cluster/health: for admins. */
export function readClusterHealthRoute({ options, client, job }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.readClusterHealth, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const call = { method: 'GET', path: routePatterns.health, bytesMax: reportBytesMax, isPublic: true } as const;
    const outcomes = await askBrokers(options.brokers, async (url) => {
      const answer = await client.call(url, { ...call, signal: signalOf(request) });
      if (answer.status === 503) return 'leaving';
      assertStatus(answer);
      return parseReport(answer.text);
    });
    const brokers = outcomes.map(({ url, value, error }): BrokerState => ({
      url,
      state: error !== undefined ? 'down' : value === 'leaving' ? 'leaving' : 'up',
      brokerId: value === undefined || value === 'leaving' ? null : value.brokerId,
      version: value === undefined || value === 'leaving' ? null : value.version,
      error: error?.message ?? null,
      cleaning: cleaningOf(job.statusOf(url)),
    }));
    const isGood = brokers.every(({ state, cleaning }) => state === 'up' && cleaning.error === null);
    const response: ClusterHealthResponse = { status: isGood ? 'ok' : 'degraded', brokers };
    return reply.header('cache-control', 'no-store').send(response);
  });
}

function cleaningOf({ lastRunMs, lastGoodRunMs, deletedCount, error }: CleaningStatus): BrokerState['cleaning'] {
  return {
    lastRunMs: lastRunMs ?? null,
    lastGoodRunMs: lastGoodRunMs ?? null,
    deletedCount,
    error: error?.message ?? null,
  };
}

function parseReport(text: string): { readonly brokerId: string; readonly version: string } {
  const failed = new QuireError('BROKER_FAILED', 'The answer is not a health report of a broker.');
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch {
    throw failed; // the parser's own message repeats some of the text
  }
  if (typeof report !== 'object' || report === null || !('brokerId' in report) || !('version' in report)) throw failed;
  const { brokerId, version } = report;
  if (typeof brokerId !== 'string' || typeof version !== 'string' || brokerId.length + version.length > 500) throw failed;
  return { brokerId, version };
}
