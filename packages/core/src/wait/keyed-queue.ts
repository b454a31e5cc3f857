import { Slots } from './slots.ts';

/** Runs tasks of one key sequentially, and tasks of different keys concurrently. */
export class KeyedQueue<Key> {
  readonly #queues = new Map<Key, Slots>();

  /**
   * Runs the task after the earlier ones of its key.
   *
   * @throws the error of the task; the next one still runs
   */
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
