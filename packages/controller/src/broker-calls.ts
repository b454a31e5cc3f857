import {
  HealthResponse,
  type PinotBroker,
  PinotTableList,
  PinotTableSchema,
  routePatterns,
  type StoredResult,
  storedResultPath,
  SweepPlanResponse,
  settingsPattern,
  SettingsResponse,
  sweepPattern,
} from '@quire/api';
import { removeEach } from '@quire/results';
import {
  type BrokerHealth,
  parseBrokerHealth,
  parseDeletedCount,
  parseResultList,
} from '@quire/client/wire';
import { isQuireError, QuireError } from '@quire/core';
import type { Static, TSchema } from 'typebox';
import type { BrokerAnswer, BrokerClient } from './broker-client.ts';

/**
 * The maximum size of a list from a broker, so that it cannot exhaust the memory of the controller.
 */
const listBytesMax = 256 * 1024 * 1024;
const sentenceBytesMax = 65_536;
/** The maximum number of bytes to read of a list of tables or a schema. */
const tablesBytesMax = 16 * 1024 * 1024;
const deletionsAtOnce = 4;

/** The outcome of a call to one broker: its value, or its error. */
export type BrokerOutcome<T> =
  | { readonly url: string; readonly value: T; readonly error?: undefined }
  | { readonly url: string; readonly value?: undefined; readonly error: QuireError };

/**
 * Calls all brokers at once; each call succeeds or fails separately. @throws only errors that are
 * not a QuireError, which are defects
 */
export function askBrokers<T>(
  urls: readonly string[],
  ask: (url: string) => Promise<T>,
): Promise<readonly BrokerOutcome<T>[]> {
  return Promise.all(
    urls.map(async (url): Promise<BrokerOutcome<T>> => {
      try {
        return { url, value: await ask(url) };
      } catch (error) {
        if (!isQuireError(error)) throw error;
        return { url, error };
      }
    }),
  );
}

/** The list of a broker's results, and the time at which it was created, by the broker's clock. */
export interface ResultListing {
  readonly results: readonly StoredResult[];
  readonly brokerTimeMs: number | undefined;
}

/**
 * Lists the results of a broker. @throws BROKER_FAILED when its answer is not a list, and the
 * errors of `BrokerClient.call`
 */
export async function listResults(
  client: BrokerClient,
  url: string,
  signal: AbortSignal,
): Promise<ResultListing> {
  const answer = await client.call(url, {
    method: 'GET',
    path: routePatterns.resultStore,
    bytesMax: listBytesMax,
    signal,
  });
  assertStatus(answer);
  return { results: parseResultList(answer.text), brokerTimeMs: answer.dateMs };
}

/** Returns the ids of the expired results of a list: those with `expirationTimeMs <= cutoffMs`. */
export function planDeletions(
  results: readonly StoredResult[],
  cutoffMs: number,
): readonly string[] {
  return results
    .filter(({ expirationTimeMs }) => expirationTimeMs <= cutoffMs)
    .map(({ requestId }) => requestId);
}

/**
 * Makes a broker delete its expired results, and returns their number. Without `cutoffMs`, results
 * that have expired by the broker's own clock are deleted, so a clock that differs from the
 * controller's deletes no live result.
 *
 * A broker that can delete by time needs one call. For others, each expired result in the broker's
 * list is deleted separately, even if an earlier deletion failed. A result that no longer exists
 * counts as deleted.
 *
 * @throws BROKER_FAILED for any other answer, and the errors of `BrokerClient.call`
 */
export async function deleteExpired(
  client: BrokerClient,
  url: string,
  options: { readonly cutoffMs?: number | undefined; readonly signal: AbortSignal },
): Promise<number> {
  const { cutoffMs, signal } = options;
  const path = `${routePatterns.resultStore}${cutoffMs === undefined ? '' : `?expiredBefore=${cutoffMs}`}`;
  const answer = await client.call(url, {
    method: 'DELETE',
    path,
    bytesMax: sentenceBytesMax,
    signal,
  });
  if (answer.status === 404 || answer.status === 405) {
    return deleteEach(client, url, cutoffMs, signal);
  }
  assertStatus(answer);
  return parseDeletedCount(answer.text);
}

async function deleteEach(
  client: BrokerClient,
  url: string,
  cutoffMs: number | undefined,
  signal: AbortSignal,
): Promise<number> {
  const { results, brokerTimeMs } = await listResults(client, url, signal);
  const cutoff = cutoffMs ?? brokerTimeMs;
  if (cutoff === undefined) {
    throw new QuireError('BROKER_FAILED', 'The answer has no Date header.');
  }
  let deletedCount = 0;
  const failures: QuireError[] = [];
  await removeEach(
    planDeletions(results, cutoff),
    async (requestId) => {
      // A broker that does not answer once is unlikely to answer later calls, and each would cost a
      // whole timeout.
      if (failures.some(({ code }) => code === 'BROKER_TIMED_OUT')) throw failures[0] ?? answerless;
      const path = storedResultPath(requestId);
      const answer = await client.call(url, {
        method: 'DELETE',
        path,
        bytesMax: sentenceBytesMax,
        signal,
      });
      if (answer.status !== 404 && answer.status !== 410) assertStatus(answer);
      return 'removed';
    },
    (_requestId, outcome, error) => {
      if (outcome === 'removed') deletedCount += 1;
      if (isQuireError(error)) failures.push(error);
    },
    { concurrencyMax: deletionsAtOnce, signal },
  );
  if (failures[0] === undefined) return deletedCount;
  const { code, message } = failures[0];
  throw new QuireError(
    code,
    `${failures.length} of ${deletedCount + failures.length} results could not be deleted: ${message}`,
  );
}

const answerless = new QuireError('BROKER_TIMED_OUT', 'The broker did not answer an earlier call.');

/**
 * Lists the tables of a broker. @throws BROKER_FAILED when its answer is not a list, and the errors
 * of `BrokerClient.call`
 */
export async function listTables(
  client: BrokerClient,
  url: string,
  signal: AbortSignal,
): Promise<PinotTableList> {
  const answer = await client.call(url, {
    method: 'GET',
    path: '/tables',
    bytesMax: tablesBytesMax,
    signal,
  });
  assertStatus(answer);
  return parse(PinotTableList, answer.text);
}

/**
 * Returns the columns of a table of a broker; undefined if it has no such table. @throws as
 * `listTables`
 */
export async function readTableSchema(
  client: BrokerClient,
  url: string,
  tableName: string,
  signal: AbortSignal,
): Promise<PinotTableSchema | undefined> {
  const path = `/tables/${encodeURIComponent(tableName)}/schema`;
  const answer = await client.call(url, { method: 'GET', path, bytesMax: tablesBytesMax, signal });
  if (answer.status === 404) return undefined;
  assertStatus(answer);
  return parse(PinotTableSchema, answer.text);
}

/**
 * Returns the removals that a sweep of a broker would make now. @throws BROKER_FAILED when it has
 * no cleaner, and the errors of `BrokerClient.call`
 */
export async function readSweepPlan(
  client: BrokerClient,
  url: string,
  signal: AbortSignal,
): Promise<SweepPlanResponse> {
  const answer = await client.call(url, {
    method: 'GET',
    path: sweepPattern,
    bytesMax: tablesBytesMax,
    signal,
  });
  if (answer.status === 404) {
    throw new QuireError('BROKER_FAILED', 'The broker has no cleaner of its own.');
  }
  assertStatus(answer);
  return parse(SweepPlanResponse, answer.text);
}

/**
 * Returns the settings of a broker. @throws BROKER_FAILED when it does not expose them, and the
 * errors of `BrokerClient.call`
 */
export async function readSettings(
  client: BrokerClient,
  url: string,
  signal: AbortSignal,
): Promise<SettingsResponse> {
  const answer = await client.call(url, {
    method: 'GET',
    path: settingsPattern,
    bytesMax: tablesBytesMax,
    signal,
  });
  if (answer.status === 404) {
    throw new QuireError('BROKER_FAILED', 'The broker does not expose its settings.');
  }
  assertStatus(answer);
  return parse(SettingsResponse, answer.text);
}

/**
 * A broker's health: the members that every version has, and the whole report if it is of this
 * version.
 */
export interface BrokerReport extends BrokerHealth {
  readonly health: HealthResponse | null;
}

/**
 * Returns the health of a broker, or that it is shutting down. @throws BROKER_FAILED when its
 * answer is not a health report, and the errors of `BrokerClient.call`
 */
export async function readHealth(
  client: BrokerClient,
  url: string,
  signal: AbortSignal,
): Promise<BrokerReport | 'leaving'> {
  const call = {
    method: 'GET',
    path: routePatterns.health,
    bytesMax: sentenceBytesMax,
    isPublic: true,
    signal,
  } as const;
  const answer = await client.call(url, call);
  if (answer.status === 503) return 'leaving';
  assertStatus(answer);
  const report = parseBrokerHealth(answer.text);
  const health: unknown = JSON.parse(answer.text);
  const isKnown = await matches(HealthResponse, health);
  return { ...report, health: isKnown ? (health as Static<typeof HealthResponse>) : null };
}

/** @throws BROKER_FAILED when the status is not 200 */
function assertStatus({ status }: BrokerAnswer): void {
  if (status === 200) return;
  const isRefusal = status === 401 || status === 403;
  throw new QuireError(
    'BROKER_FAILED',
    isRefusal
      ? `The broker refuses the Authorization of the controller with status ${status}: see controller.admin.auth.`
      : `The broker answered with status ${status}.`,
  );
}

async function parse<T extends TSchema>(schema: T, text: string): Promise<Static<T>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new QuireError('BROKER_FAILED', 'The answer of the broker is not JSON.', { cause });
  }
  if (!(await matches(schema, value))) {
    throw new QuireError(
      'BROKER_FAILED',
      'The answer of the broker does not have the expected form.',
    );
  }
  return value as Static<T>;
}

/** Reports whether a value matches a schema. TypeBox is loaded for the first answer of a broker. */
async function matches(schema: TSchema, value: unknown): Promise<boolean> {
  const { Check } = await import('typebox/schema');
  return Check(schema, value);
}

/** Returns the broker that a URL names. */
export function brokerAt(url: string): PinotBroker {
  const { hostname, port, protocol } = new URL(url);
  const portNumber = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  return { host: hostname, port: portNumber, instanceName: `Broker_${hostname}_${portNumber}` };
}
