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
import { Check } from 'typebox/value';
import type { BrokerAnswer, BrokerClient } from './broker-client.ts';

/** A broker that lists more than that would fill the memory of the controller. */
const listBytesMax = 256 * 1024 * 1024;
const sentenceBytesMax = 65_536;
/** The most that is read of what calls itself a list of tables, or a schema. */
const tablesBytesMax = 16 * 1024 * 1024;
const deletionsAtOnce = 4;

/** What one broker has answered, or why it has not. */
export type BrokerOutcome<T> =
  | { readonly url: string; readonly value: T; readonly error?: undefined }
  | { readonly url: string; readonly value?: undefined; readonly error: QuireError };

/**
 * Asks all brokers at once; each answers or fails for itself. @throws only what is not a
 * QuireError: a defect
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

/** What a broker has listed, and its time when it did. */
export interface ResultListing {
  readonly results: readonly StoredResult[];
  readonly brokerTimeMs: number | undefined;
}

/**
 * The results that a broker holds. @throws BROKER_FAILED when it does not answer with a list, and
 * what `BrokerClient.call` throws
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

/** The expired results of a list, by their ids: those with `expirationTimeMs <= cutoffMs`. */
export function planDeletions(
  results: readonly StoredResult[],
  cutoffMs: number,
): readonly string[] {
  return results
    .filter(({ expirationTimeMs }) => expirationTimeMs <= cutoffMs)
    .map(({ requestId }) => requestId);
}

/**
 * Has a broker delete what has expired, and gives how many results that were. Without `cutoffMs`,
 * what has expired by its own clock: one that goes differently from the controller's costs no
 * living result.
 *
 * One call is enough where the broker knows how to delete by time. Where it does not, its list says
 * what is to go, and each result is deleted by itself, on past failures; one that is gone already
 * is as good as deleted.
 *
 * @throws BROKER_FAILED when it answers otherwise, and what `BrokerClient.call` throws
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
    throw new QuireError('BROKER_FAILED', 'The answer does not say what time it is there.');
  }
  let deletedCount = 0;
  const failures: QuireError[] = [];
  await removeEach(
    planDeletions(results, cutoff),
    async (requestId) => {
      // One that does not answer once will not do so a hundred times: each would cost a whole
      // time-out.
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

const answerless = new QuireError('BROKER_TIMED_OUT', 'There was no answer before.');

/**
 * The tables of a broker. @throws BROKER_FAILED when it does not answer with a list, and what
 * `BrokerClient.call` throws
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
 * The columns of a table of a broker; undefined when it has no such table. @throws as `listTables`
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
 * What a sweep of a broker would delete now. @throws BROKER_FAILED when it has no cleaner, and what
 * `BrokerClient.call` throws
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
 * The settings of a broker. @throws BROKER_FAILED when it does not tell them, and what
 * `BrokerClient.call` throws
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
    throw new QuireError('BROKER_FAILED', 'The broker does not tell its settings.');
  }
  assertStatus(answer);
  return parse(SettingsResponse, answer.text);
}

/**
 * A broker's health: what every version of it says, and all of it where it is as this version has
 * it.
 */
export interface BrokerReport extends BrokerHealth {
  readonly health: HealthResponse | null;
}

/**
 * What a broker says of itself, or that it is about to leave. @throws BROKER_FAILED when it is not
 * a health report, and what `BrokerClient.call` throws
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
  return { ...report, health: Check(HealthResponse, health) ? health : null };
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

function parse<T extends TSchema>(schema: T, text: string): Static<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new QuireError('BROKER_FAILED', 'The answer of the broker is not JSON.', { cause });
  }
  if (!Check(schema, value)) {
    throw new QuireError('BROKER_FAILED', 'The answer of the broker is not what was asked for.');
  }
  return value;
}

/** A broker as its URL says. */
export function brokerAt(url: string): PinotBroker {
  const { hostname, port, protocol } = new URL(url);
  const portNumber = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  return { host: hostname, port: portNumber, instanceName: `Broker_${hostname}_${portNumber}` };
}
