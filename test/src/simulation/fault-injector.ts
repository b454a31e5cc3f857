import type { SeededRandom } from '@quire/core/testing';
import type { Cluster } from './cluster.ts';
import { clusterSettings } from './cluster-plan.ts';
import type { SimulatedProcess } from './machine.ts';

const minuteMs = 60_000;

/** Kinds of faults. */
export const faults = [
  'kill',
  'power',
  'lost',
  'full',
  'cut',
  'slow',
  'clock',
  'settings',
  'reset',
] as const;
type Fault = (typeof faults)[number];

/** The faults of a cluster: one after another and each for a while, determined by a seed. */
export class FaultInjector {
  readonly #cluster: Cluster;
  readonly #random: SeededRandom;
  readonly #process: SimulatedProcess;
  readonly #without: ReadonlySet<string>;
  readonly #faults: Readonly<Record<Fault, () => Promise<void> | void>> = {
    kill: () => this.#kill((name) => this.#cluster.kill(name)),
    power: () => this.#kill((name) => this.#cluster.failPower(name)),
    lost: () => this.#loseCalls(),
    full: () => this.#fill(),
    cut: () => this.#cut(),
    slow: () => this.#slow(),
    clock: () => this.#stepClock(),
    settings: () => this.#changeSettings(),
    reset: () => this.#resetConnections(),
  };
  #wasKilled = false;

  constructor(options: {
    readonly cluster: Cluster;
    readonly process: SimulatedProcess;
    readonly random: SeededRandom;
    /** Faults that do not happen. */
    readonly without: ReadonlySet<string>;
  }) {
    this.#cluster = options.cluster;
    this.#process = options.process;
    this.#random = options.random;
    this.#without = options.without;
  }

  /** True if a process has been killed: its pending log lines are lost. */
  get wasKilled(): boolean {
    return this.#wasKilled;
  }

  async run(isEnding: () => boolean): Promise<void> {
    while (!isEnding()) {
      await this.#process.pause(this.#random.fraction() * 3 * minuteMs);
      const fault = faults[this.#random.integer(faults.length)] ?? 'kill';
      if (!this.#without.has(fault)) await this.#faults[fault]();
    }
  }

  /** Repairs everything that may still be broken. */
  clear(): void {
    const { conditions, streamConditions, network, storage } = this.#cluster;
    conditions.failureChance = 0;
    streamConditions.failureChance = 0;
    storage.setFull(false, this.#random);
    network.heal();
    const { expirationMs, sweepPeriodMs } = clusterSettings;
    this.#cluster.changeSettings({ expirationMs, sweepPeriodMs });
  }

  async #lasts(): Promise<void> {
    await this.#process.pause(this.#random.fraction() * minuteMs);
  }

  #anyOf(names: readonly string[]): string {
    return names[this.#random.integer(names.length)] ?? '';
  }

  async #kill(end: (name: string) => void): Promise<void> {
    const name = this.#anyOf(this.#cluster.names);
    this.#wasKilled = true;
    end(name);
    await this.#lasts();
    // A process may wait for others, or for its disk, before it listens.
    void this.#cluster.start(name);
  }

  async #loseCalls(): Promise<void> {
    const { conditions, streamConditions } = this.#cluster;
    conditions.failureChance = this.#random.fraction() * 0.3;
    streamConditions.failureChance = conditions.failureChance;
    await this.#lasts();
    conditions.failureChance = 0;
    streamConditions.failureChance = 0;
  }

  async #fill(): Promise<void> {
    this.#cluster.storage.setFull(true, this.#random);
    await this.#lasts();
    this.#cluster.storage.setFull(false, this.#random);
  }

  async #cut(): Promise<void> {
    const { names, network } = this.#cluster;
    const [a, b] = [this.#anyOf(names), this.#anyOf([...names, 'client-0', 'client-1'])];
    network.setCut(a, b, true);
    await this.#lasts();
    network.setCut(a, b, false);
  }

  async #slow(): Promise<void> {
    const { network, conditions } = this.#cluster;
    network.latencyMaxMs = 1 + this.#random.fraction() * 800;
    conditions.latencyMaxMs = 1 + this.#random.fraction() * 500;
    await this.#lasts();
    network.latencyMaxMs = 3;
    conditions.latencyMaxMs = 4;
  }

  async #stepClock(): Promise<void> {
    const { clockErrorMaxMs } = this.#cluster.plan;
    const name = this.#anyOf(this.#cluster.names);
    this.#cluster.stepClock(name, (2 * this.#random.fraction() - 1) * clockErrorMaxMs);
    await this.#lasts();
    this.#cluster.stepClock(name, 0);
  }

  #changeSettings(): void {
    this.#cluster.changeSettings({
      expirationMs: (3 + this.#random.integer(12)) * minuteMs,
      sweepPeriodMs: (1 + this.#random.integer(4)) * minuteMs,
    });
  }

  async #resetConnections(): Promise<void> {
    for (let times = this.#random.integer(8); times >= 0; times -= 1) {
      this.#cluster.network.resetOne();
      await this.#process.pause(this.#random.fraction() * 5000);
    }
  }
}
