import { freePort } from '../free-port.ts';

/** The ports of this machine that the cluster listens on. */
export interface ClusterPorts {
  readonly s3: number;
  readonly broker1: number;
  readonly broker2: number;
  readonly proxy: number;
  readonly controller: number;
  readonly cleaner: number;
}

const names = ['s3', 'broker1', 'broker2', 'proxy', 'controller', 'cleaner'] as const;

/** Returns free ports, which remain so while a process of the cluster is restarted. */
export async function freePorts(): Promise<ClusterPorts> {
  const ports = await Promise.all(names.map(() => freePort()));
  return Object.fromEntries(names.map((name, index) => [name, ports[index]])) as Record<
    (typeof names)[number],
    number
  >;
}

/** A process of Quire. */
export type Part = 'broker1' | 'broker2' | 'proxy' | 'controller' | 'cleaner';

/** Returns the settings of these ports, as `key=value`. */
export function settingsOf(part: Part, ports: ClusterPorts): string[] {
  const brokers = `http://127.0.0.1:${ports.broker1},http://127.0.0.1:${ports.broker2}`;
  switch (part) {
    case 'broker1':
    case 'broker2':
      return [`engine.broker.client.queryPort=${ports[part]}`];
    case 'proxy':
      return [`proxy.brokers=${brokers}`, `proxy.port=${ports.proxy}`];
    case 'controller':
      return [`controller.brokers=${brokers}`, `controller.port=${ports.controller}`];
    case 'cleaner':
      return [`engine.cleaner.port=${ports.cleaner}`];
  }
}
