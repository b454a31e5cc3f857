import type { Key } from './key.ts';

/** Keys and resizes in the order they came. While something loads, Ctrl-C interrupts it. */
export class EventQueue {
  readonly #events: Key[] = [];
  #wake: (() => void) | undefined;
  #interrupt: (() => void) | undefined;

  add(event: Key): void {
    const isBusy = this.#interrupt !== undefined;
    if (isBusy && event === 'ctrl+c') return this.#interrupt?.();
    // A held key repeats faster than pages come: the pager must stop when the key is let go.
    if (isBusy && event === this.#events.at(-1) && !/^\d$/.test(event)) return;
    this.#events.push(event);
    this.#wake?.();
  }

  async next(): Promise<Key> {
    while (true) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Until disposed, something is loading that `listener` stops. */
  whileLoading(listener: () => void): Disposable {
    this.#interrupt = listener;
    return {
      [Symbol.dispose]: () => {
        this.#interrupt = undefined;
      },
    };
  }
}
