import { Slots } from './slots.ts';

/** Runs tasks of one key one after the other, and of different keys side by side. */
export class KeyedQueue<Key> {
  readonly #queues = new Map<Key, Slots>();

  /** @throws what the task throws; the next one runs all the same */
  async run<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(key) ?? new Slots(1);
    this.#queues.set(key, queue);
    try {
      return await queue.run(task);
    } finally {
      if (queue.takenCount === 0) this.#queues.delete(key);
    }
  }
}
