import { QuireError } from '@quire/core';
import { pinotSettings } from '../settings.ts';
import { at, hintOf } from './call-failure.ts';
import type { Controller } from './controller.ts';

/** The options of a directory of brokers. */
export interface BrokerDirectoryOptions {
  /** Brokers to use for every table; without them the controller provides them by table. */
  readonly brokers?: readonly string[] | undefined;
  /** The time for which the controller's answer is cached. */
  readonly refreshMs: number;
  /** The time for which a broker that did not answer is tried last. */
  readonly avoidMs: number;
}

/** The brokers of each table. */
interface Directory {
  readonly readAtMs: number;
  /** URLs by raw name of the table, in lower case. */
  readonly byTable: ReadonlyMap<string, readonly string[]>;
  readonly all: readonly string[];
}

interface BrokerEntry {
  readonly host: string;
  readonly port: number;
}

/** The timeout of the controller's list. */
const listMaxMs = 10_000;

/** The number of attempts to read the controller's list, which fail while tables are deleted. */
const asksMax = 4;

/**
 * Tracks the brokers of a cluster: those of each table, and those that have not answered recently.
 */
export class BrokerDirectory {
  readonly #controller: Controller;
  readonly #options: BrokerDirectoryOptions;
  readonly #avoidedUntilMs = new Map<string, number>();
  #known: Directory | undefined;
  #reading: Promise<Directory> | undefined;
  #isStale = false;
  #turn = 0;

  constructor(controller: Controller, options: BrokerDirectoryOptions) {
    this.#controller = controller;
    this.#options = options;
  }

  /**
   * Returns the brokers that serve all tables that the words of a query name, in the order in which
   * to try them.
   *
   * @param words of a query, in lower case; words that do not name a table are ignored
   * @throws ENGINE_UNAVAILABLE when there is none
   */
  async brokersFor(words: ReadonlySet<string>): Promise<readonly string[]> {
    const found = await this.#serving(words);
    if (found.length === 0) {
      const { url } = this.#controller;
      throw new QuireError(
        'ENGINE_UNAVAILABLE',
        'The controller of Apache Pinot reports no broker for the tables of the query.',
        {
          cause: at(url, '/v2/brokers'),
          adminHint: hintOf(url, pinotSettings.settings.brokerUrls.key),
        },
      );
    }
    this.#turn += 1;
    const first = this.#turn % found.length;
    const rotated = [...found.slice(first), ...found.slice(0, first)];
    return rotated.toSorted(
      (left, right) => Number(this.#isAvoided(left)) - Number(this.#isAvoided(right)),
    );
  }

  /**
   * Records that a broker has not answered: it is tried last for a while, and the controller's list
   * is read again.
   */
  avoid(broker: string): void {
    this.#avoidedUntilMs.set(broker, this.#nowMs() + this.#options.avoidMs);
    this.#isStale = true;
  }

  #nowMs(): number {
    return this.#controller.http.clock.monotonicMs();
  }

  #isAvoided(broker: string): boolean {
    const untilMs = this.#avoidedUntilMs.get(broker);
    if (untilMs === undefined) return false;
    if (untilMs > this.#nowMs()) return true;
    this.#avoidedUntilMs.delete(broker);
    return false;
  }

  async #serving(words: ReadonlySet<string>): Promise<readonly string[]> {
    const { brokers } = this.#options;
    if (brokers !== undefined) return brokers;
    const [before, joined] = [this.#known, this.#reading];
    let directory = await this.#read();
    let lists = listsOf(directory, words);
    if (lists.length === 0 && (directory === before || joined !== undefined)) {
      // A table that was created since then is served only by the brokers of its tenant. A list
      // that is being read may be older than the table.
      await this.#reading?.catch(() => undefined);
      this.#isStale = true;
      directory = await this.#read();
      lists = listsOf(directory, words);
    }
    if (lists.length === 0) return directory.all;
    return [...new Set(lists.flat())].filter((broker) =>
      lists.every((serving) => serving.includes(broker)),
    );
  }

  async #read(): Promise<Directory> {
    const known = this.#known;
    const isFresh =
      known !== undefined && this.#nowMs() - known.readAtMs <= this.#options.refreshMs;
    if (isFresh && !this.#isStale) return known;
    this.#reading ??= this.#refresh().finally(() => (this.#reading = undefined));
    if (known === undefined || this.#isStale) return this.#reading;
    // No query waits for the refresh of an old list, because the controller may hang.
    this.#reading.catch(() => undefined);
    return known;
  }

  async #refresh(): Promise<Directory> {
    const known = this.#known;
    try {
      this.#known = await this.#ask();
    } catch (error) {
      // While the controller is down, its last answer is used.
      if (known === undefined) throw error;
      this.#known = { ...known, readAtMs: this.#nowMs() };
    }
    this.#isStale = false;
    return this.#known;
  }

  async #ask(): Promise<Directory> {
    const controller = this.#controller;
    await controller.release();
    const path = '/v2/brokers?state=ONLINE';
    const ask = () => controller.call({ method: 'GET', path, timeoutMs: listMaxMs });
    let answer = await ask();
    // If a table is dropped while the controller builds its list, the whole list is a 404.
    for (let asked = 1; answer.status === 404 && asked < asksMax; asked += 1) answer = await ask();
    const { status, text } = answer;
    if (status !== 200) {
      const cause = at(controller.url, text.slice(0, 200));
      throw new QuireError(
        'UNEXPECTED_RESPONSE',
        `The controller answers /v2/brokers with HTTP ${status}.`,
        { cause },
      );
    }
    const { tables, tenants } = JSON.parse(text) as Record<
      'tables' | 'tenants',
      Record<string, readonly BrokerEntry[]>
    >;
    const { protocol } = new URL(controller.url);
    const urlOf = ({ host, port }: BrokerEntry): string =>
      `${protocol}//${host.includes(':') ? `[${host}]` : host}:${port}`;
    return {
      readAtMs: this.#nowMs(),
      byTable: new Map(
        Object.entries(tables).map(([name, brokers]) => [name.toLowerCase(), brokers.map(urlOf)]),
      ),
      all: [...new Set([...Object.values(tenants), ...Object.values(tables)].flat().map(urlOf))],
    };
  }
}

/** Returns the brokers of each table that the words name. */
function listsOf(
  { byTable }: Directory,
  words: ReadonlySet<string>,
): readonly (readonly string[])[] {
  return [...words].flatMap((word) => {
    const serving = byTable.get(word.replace(/_(?:offline|realtime)$/, '')) ?? byTable.get(word);
    return serving === undefined ? [] : [serving];
  });
}
