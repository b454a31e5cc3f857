import { routePatterns } from '@quire/api';
import { callBroker } from '../forwarding/call-broker.ts';
import type { Broker } from './broker.ts';
import type { Clock } from '@quire/core';

/** What a broker says of itself that the proxy goes by. */
export interface BrokerHealth {
  /** `Broker_<host>_<port>`, as others reach it. */
  readonly brokerId: string;
  /** Kind of its store, such as `fs` or `s3`. */
  readonly storeType: string;
}

/** What a check of a broker's health found. */
export type HealthCheck =
  | { readonly kind: 'healthy'; readonly health: BrokerHealth }
  | { readonly kind: 'leaving' }
  | { readonly kind: 'failed' };

/** The most that is read of what calls itself a health report. */
const reportBytesMax = 65_536;

/** Asks a broker for its health. Only what answers as a broker of Quire does is healthy; never rejects. */
export async function checkHealth(broker: Broker, clock: Clock, timeoutMs: number, signal: AbortSignal): Promise<HealthCheck> {
  try {
    const answer = await callBroker(broker, {
      path: routePatterns.health,
      clock,
      timeoutMs,
      signal,
      bodyBytesMax: reportBytesMax,
    });
    if (answer.status === 503) return { kind: 'leaving' };
    const health = answer.status === 200 ? parseHealth(answer.body) : undefined;
    return health === undefined ? { kind: 'failed' } : { kind: 'healthy', health };
  } catch {
    return { kind: 'failed' }; // whatever it was: the next round asks again
  }
}

function parseHealth(body: Buffer): BrokerHealth | undefined {
  const report: unknown = JSON.parse(body.toString());
  if (typeof report !== 'object' || report === null || !('brokerId' in report) || !('storeType' in report)) return undefined;
  const { brokerId, storeType } = report;
  // The id goes into logs, metrics and headers.
  if (typeof brokerId !== 'string' || !/^Broker_[\w.-]{1,300}$/.test(brokerId) || typeof storeType !== 'string') return undefined;
  return { brokerId, storeType };
}
