/** An event that is scheduled, and can be cancelled until it has run. */
export interface ScheduledEvent {
  cancel(): void;
}

interface Entry extends ScheduledEvent {
  readonly atMs: number;
  readonly sequence: number;
  run: (() => void) | undefined;
}

/**
 * The only source of time and order in a simulation: events run one at a time, by their moment,
 * then in the order in which they were scheduled. Everything that one event sets going in this
 * process runs before the next event does.
 */
export class Scheduler {
  readonly #queue: Entry[] = [];
  #nowMs = 0;
  #sequence = 0;

  /** Milliseconds since the simulation started. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Runs `run` after `delayMs` of simulated time. */
  after(delayMs: number, run: () => void): ScheduledEvent {
    const entry: Entry = {
      atMs: this.#nowMs + Math.max(0, delayMs),
      sequence: this.#sequence,
      run,
      cancel: () => (entry.run = undefined),
    };
    this.#sequence += 1;
    this.#push(entry);
    return entry;
  }

  /** Runs events until `isDone`, which is called after each one, returns true. */
  async run(isDone: () => boolean): Promise<void> {
    await settled();
    while (!isDone()) {
      const next = this.#pop();
      if (next === undefined) throw new Error('The simulation has no event left to run.');
      const { run } = next;
      if (run === undefined) continue;
      this.#nowMs = next.atMs;
      run();
      await settled();
    }
  }

  #push(entry: Entry): void {
    const queue = this.#queue;
    queue.push(entry);
    for (let index = queue.length - 1; index > 0;) {
      const parent = (index - 1) >> 1;
      if (isBefore(queue[parent]!, entry)) break;
      queue[index] = queue[parent]!;
      queue[parent] = entry;
      index = parent;
    }
  }

  #pop(): Entry | undefined {
    const queue = this.#queue;
    const [first] = queue;
    const last = queue.pop();
    if (first === undefined || last === undefined || queue.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= queue.length) break;
      if (child + 1 < queue.length && isBefore(queue[child + 1]!, queue[child]!)) child += 1;
      if (isBefore(last, queue[child]!)) break;
      queue[index] = queue[child]!;
      index = child;
    }
    queue[index] = last;
    return first;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);
}

/**
 * Work of Node that ends by itself, without simulated time. Node does not list work of its thread
 * pool other than that of files: streams of zlib, for example, would not be awaited.
 */
const selfEnding = /^(?:Immediate|FSReq)/;

/** Resolves once nothing in this process can run before simulated time advances. */
export async function settled(): Promise<void> {
  do {
    await new Promise((resolve) => setImmediate(resolve));
  } while (process.getActiveResourcesInfo().some((name) => selfEnding.test(name)));
}
