/** Runs tasks of one key one after the other, and of different keys side by side. */
export class SerialQueue<Key> {
  readonly #tails = new Map<Key, Promise<unknown>>();

  async run<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const previous = this.#tails.get(key) ?? Promise.resolve();
    // The next task starts whether or not this one fails: its failure is for its own caller.
    const current = previous.then(task, task);
    const tail = current.catch(() => undefined);
    this.#tails.set(key, tail);
    try {
      return await current;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
