import type { SeededRandom } from '@quire/core/testing';
import type { Fault, ProxiedRequest } from '../testkit/servers/fault-proxy.ts';
import type { RealCluster } from './real-cluster.ts';

/** The answer of MinIO when its disk is full. */
const full: Fault = {
  kind: 'answer',
  status: 507,
  headers: { 'content-type': 'application/xml' },
  body: '<Error><Code>XMinioStorageFull</Code><Message>The quota is exceeded.</Message></Error>',
};

type Rule = (request: ProxiedRequest) => Fault | undefined;

/**
 * Injects faults into a real cluster, one after another and each for a while: processes are killed
 * and frozen, requests are delayed, reset and lost, the bucket is full.
 *
 * @returns the number of faults of each kind
 */
export async function injectFaults(
  cluster: RealCluster,
  random: SeededRandom,
  isOver: () => boolean,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  const { faults } = cluster;
  const whileRule = async (where: 'store' | 'broker', rule: Rule): Promise<void> => {
    faults[where] = rule;
    await cluster.pause(random.fraction() * 4000);
    faults[where] = () => undefined;
  };
  const someOf =
    (chance: number, fault: () => Fault): Rule =>
    () =>
      random.fraction() < chance ? fault() : undefined;
  const delay = (): Fault => ({ kind: 'delay', delayMs: random.fraction() * 800 });
  const kinds: Readonly<Record<string, () => Promise<void>>> = {
    kill: () => cluster.restart(cluster.anyBroker(), random.fraction() * 2000),
    freeze: () => cluster.freeze(cluster.anyBroker(), random.fraction() * 4000),
    'slow store': () => whileRule('store', someOf(0.5, delay)),
    'store loses answers': () =>
      whileRule(
        'store',
        someOf(0.2, () => ({ kind: 'lose answer' })),
      ),
    'store resets': () =>
      whileRule(
        'store',
        someOf(0.3, () => ({ kind: 'reset' })),
      ),
    'store stalls': () =>
      whileRule(
        'store',
        someOf(0.05, () => ({ kind: 'stall' })),
      ),
    'bucket is full': () =>
      whileRule('store', ({ method }) => (method === 'PUT' ? full : undefined)),
    'slow network': () => whileRule('broker', someOf(0.5, delay)),
    'network loses answers': () =>
      whileRule(
        'broker',
        someOf(0.2, () => ({ kind: 'lose answer' })),
      ),
    'network resets': () =>
      whileRule(
        'broker',
        someOf(0.2, () => ({ kind: 'reset' })),
      ),
  };
  const names = Object.keys(kinds);
  while (!isOver()) {
    await cluster.pause(random.fraction() * 1500);
    const name = names[random.integer(names.length)] ?? '';
    counts[name] = (counts[name] ?? 0) + 1;
    await kinds[name]?.();
  }
  return counts;
}
