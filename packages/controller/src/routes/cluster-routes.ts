import {
  type CallerResponse,
  type ClusterHealthResponse,
  type ClusterSweepResponse,
  controllerOperations,
  type RawParameter,
} from '@quire/api';
import { requireRole } from '@quire/auth';
import { QuireError } from '@quire/core';
import { principalOf, queryOf, routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import { askBrokers, readHealth, readSettings, readSweepPlan } from '../broker-calls.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { CleaningStatus } from '../expiry-job.ts';

type BrokerState = ClusterHealthResponse['brokers'][number];

/** GET /cluster/health: for admins. */
export function readClusterHealthRoute({ options, client, job }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.readClusterHealth, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const outcomes = await askBrokers(options.brokers, (url) =>
      readHealth(client, url, signalOf(request)),
    );
    const brokers = outcomes.map(({ url, value, error }): BrokerState => ({
      url,
      state: error !== undefined ? 'down' : value === 'leaving' ? 'leaving' : 'up',
      brokerId: value === undefined || value === 'leaving' ? null : value.brokerId,
      version: value === undefined || value === 'leaving' ? null : value.version,
      error: error?.message ?? null,
      health: value === undefined || value === 'leaving' ? null : value.health,
      cleaning: cleaningOf(job.statusOf(url)),
    }));
    const isGood = brokers.every(
      ({ state, cleaning }) => state === 'up' && cleaning.error === null,
    );
    const response: ClusterHealthResponse = { status: isGood ? 'ok' : 'degraded', brokers };
    return reply.header('cache-control', 'no-store').send(response);
  });
}

function cleaningOf({
  lastRunMs,
  lastGoodRunMs,
  deletedCount,
  error,
}: CleaningStatus): BrokerState['cleaning'] {
  return {
    lastRunMs: lastRunMs ?? null,
    lastGoodRunMs: lastGoodRunMs ?? null,
    deletedCount,
    error: error?.message ?? null,
  };
}

/** GET /cluster/sweep: for admins. */
export function readClusterSweepRoute({ options, client }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.readClusterSweep, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const outcomes = await askBrokers(options.brokers, (url) =>
      readSweepPlan(client, url, signalOf(request)),
    );
    const response: ClusterSweepResponse = {
      brokers: outcomes.map(({ url, value, error }) => ({
        url,
        error: error?.message ?? null,
        removalCount: value?.removalCount ?? 0,
        removals: value?.removals ?? [],
        owners: value?.owners ?? [],
      })),
    };
    return reply.header('cache-control', 'no-store').send(response);
  });
}

/** GET /cluster/settings, of the controller or of `?broker=`: for admins. */
export function readSettingsRoute({ options, client }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.readSettings, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const { broker } = queryOf(request);
    if (broker !== undefined) {
      const url = options.brokers.find((each) => each === broker);
      if (url === undefined) throw unknownBroker(broker, options.brokers);
      return reply
        .header('cache-control', 'no-store')
        .send(await readSettings(client, url, signalOf(request)));
    }
    const response = options.settingsInForce?.();
    if (response === undefined) throw noSettings;
    return reply.header('cache-control', 'no-store').send(response);
  });
}

const noSettings = new QuireError(
  'UNSUPPORTED',
  'This controller was started by a program, without a settings file.',
);

function unknownBroker(given: RawParameter, brokers: readonly string[]): QuireError {
  const shown = JSON.stringify(given).slice(0, 100);
  return new QuireError(
    'INVALID_PARAMETER',
    `broker is ${shown}; expected one of ${brokers.join(', ')}.`,
  );
}

/** GET /whoami. */
export function readCallerRoute(): RouteOptions {
  return routeOf(controllerOperations.readCaller, async (request, reply) => {
    const { name, role } = principalOf(request);
    const response: CallerResponse = { name, role };
    return reply.header('cache-control', 'no-store').send(response);
  });
}
