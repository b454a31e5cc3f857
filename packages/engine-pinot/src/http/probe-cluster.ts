import { formatDurationMs, isQuireError, QuireError } from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import { pinotSettings } from '../settings.ts';
import type { BrokerDirectory } from './broker-directory.ts';
import { Controller } from './controller.ts';
import { accessDenied, type PinotHttp } from './pinot-http.ts';

const { settings } = pinotSettings;

/** An address of a cluster that does not answer, or is not what its setting declares. */
export interface ClusterProblem {
  /** The setting that names the address, or with which it can be overridden. */
  readonly setting: string;
  readonly url: string;
  /** The problem, without the address. */
  readonly problem: string;
}

/** The result of a probe of all addresses of a cluster. */
export interface ClusterProbe {
  /** True if queries can be answered: a controller and a broker work. */
  readonly isUsable: boolean;
  readonly problems: readonly ClusterProblem[];
}

/** The options of a probe. */
export interface ProbeOptions {
  readonly http: PinotHttp;
  readonly controllerUrls: readonly string[];
  readonly directory: BrokerDirectory;
  readonly signal?: AbortSignal | undefined;
  /** The timeout of one address. */
  readonly timeoutMs: number;
}

/** Probes every controller of the settings, and every broker, and checks its role. */
export async function probeCluster(options: ProbeOptions): Promise<ClusterProbe> {
  const { http, controllerUrls, directory, signal: outer } = options;
  const controllers = await problemsAt(settings.controllerUrls.key, controllerUrls, options, {
    check: async (url, signal) => void (await new Controller(http, [url]).release(signal)),
  });
  if (controllers.length === controllerUrls.length) {
    return { isUsable: false, problems: controllers };
  }
  const brokerUrls = await unlessAborted(listBrokers(directory), outer);
  const brokers = await problemsAt(settings.brokerUrls.key, brokerUrls, options, {
    check: (url, signal) => assertBroker(http, url, signal),
  });
  return {
    isUsable: brokers.length < brokerUrls.length,
    problems: [...controllers, ...brokers],
  };
}

/** Lists the brokers, none if there are none yet, which queries report. */
async function listBrokers(directory: BrokerDirectory): Promise<readonly string[]> {
  try {
    return await directory.brokersFor(new Set());
  } catch (error) {
    if (isQuireError(error)) return [];
    throw error;
  }
}

async function problemsAt(
  setting: string,
  urls: readonly string[],
  { http, signal: outer, timeoutMs }: ProbeOptions,
  { check }: { readonly check: (url: string, signal: AbortSignal) => Promise<void> },
): Promise<readonly ClusterProblem[]> {
  const found = await Promise.all(
    urls.map(async (url): Promise<ClusterProblem | undefined> => {
      const late = new AbortController();
      const answered = new AbortController();
      http.clock.sleep(timeoutMs, answered.signal).then(
        () => late.abort(tooLate(timeoutMs)),
        () => undefined, // it was in time
      );
      const signals = outer === undefined ? [late.signal] : [late.signal, outer];
      try {
        await check(url, AbortSignal.any(signals));
        return undefined;
      } catch (error) {
        if (outer?.aborted === true || !isQuireError(error)) throw error;
        const isDenied = error.exceptionNumber === accessDenied;
        return {
          setting: isDenied ? `${settings.authToken.key}, ${settings.authUrl.key}` : setting,
          url: new URL(url).origin,
          problem: error.message,
        };
      } finally {
        answered.abort();
      }
    }),
  );
  return found.filter((problem) => problem !== undefined);
}

function tooLate(timeoutMs: number): QuireError {
  return new QuireError(
    'ENGINE_UNAVAILABLE',
    `Apache Pinot does not answer within ${formatDurationMs(timeoutMs)}.`,
  );
}

/** A query without a table, which reaches no server. */
const emptyQuery = '/query/sql?sql=SELECT%201';

/** Every role of a cluster answers /health; only a broker answers a query of a known caller. */
async function assertBroker(http: PinotHttp, url: string, signal: AbortSignal): Promise<void> {
  const { status, text } = await http.text({ method: 'GET', url: `${url}${emptyQuery}`, signal });
  if (status === 200 && text.includes('"exceptions"')) return;
  throw new QuireError(
    'UNEXPECTED_RESPONSE',
    `The configured broker does not answer as one of Apache Pinot: /query/sql returned HTTP ${status}.`,
  );
}
