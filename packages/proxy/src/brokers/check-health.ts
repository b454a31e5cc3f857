import { routePatterns } from '@quire/api';
import { type BrokerHealth, parseBrokerHealth } from '@quire/client/wire';
import type { Clock } from '@quire/core';
import { callBroker } from './call-broker.ts';
import type { Broker } from './broker.ts';

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
    return answer.status === 200 ? { kind: 'healthy', health: parseBrokerHealth(answer.text) } : { kind: 'failed' };
  } catch {
    return { kind: 'failed' }; // whatever it was: the next round asks again
  }
}
