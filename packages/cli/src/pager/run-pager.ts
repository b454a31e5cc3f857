import type { TimedPage } from '../query/query-request.ts';
import { isQuireError, type PageRequest } from '@quire/core';
import type { Environment } from '../environment.ts';
import { stylesFor } from '../styles.ts';
import type { Key } from './key.ts';
import { renderScreen, reservedLines } from './pager-screen.ts';
import { openPager, pageFailed, type PagerEffect, pageLoaded, type PagerState, resizeScreen } from './pager-state.ts';
import { pressKey } from './press-key.ts';

/** Stands among the keys for a new size of the terminal. */
const resized: Key = 'resized';

const enterScreen = '\u001b[?1049h\u001b[?25l';
const leaveScreen = '\u001b[?25h\u001b[?1049l';
const startOfScreen = '\u001b[H';
const clearToEndOfLine = '\u001b[K';
const clearToEndOfScreen = '\u001b[J';

/** How many rows of a result the terminal shows at a time. */
export function screenRowsOf(environment: Environment): number {
  return Math.max(1, environment.stdout.size.rows - reservedLines);
}

/**
 * Lets the user move through a result with keys until they quit; resolves to the page that was shown last.
 * It has the whole terminal meanwhile, and gives it back as it was.
 */
export async function runPager(
  environment: Environment,
  first: TimedPage,
  options: {
    readonly pageSize?: number | undefined;
    readonly load: (page: PageRequest, signal: AbortSignal) => Promise<TimedPage>;
  },
): Promise<TimedPage> {
  const { stdin, stdout } = environment;
  const styles = stylesFor(stdout, environment.variables);
  const events = new EventQueue();
  let current = first;
  let state: PagerState = openPager({
    totalRowCount: first.page.totalRowCount,
    columnCount: first.page.columns.length,
    offset: first.page.offset,
    screenRows: screenRowsOf(environment),
    pageSize: options.pageSize,
  });
  const draw = async (isLoading = false): Promise<void> => {
    const lines = renderScreen(state, current.page, {
      columns: stdout.size.columns,
      styles,
      elapsedMs: current.elapsedMs,
      isLoading,
    });
    await stdout.write(startOfScreen + lines.map((line) => line + clearToEndOfLine).join('\r\n') + clearToEndOfScreen);
  };
  const carryOut = async (effect: PagerEffect): Promise<void> => {
    if (effect.kind !== 'load') return;
    const aborter = new AbortController();
    using _loading = events.whileLoading(() => aborter.abort());
    try {
      await draw(true);
      current = await options.load(effect.page, aborter.signal);
      state = pageLoaded(state, effect.page);
    } catch (error) {
      if (isQuireError(error, 'OUTPUT_CLOSED') || !isQuireError(error)) throw error;
      state = pageFailed(state, error.message);
    }
  };

  using _keys = stdin.onKey((key) => events.add(key));
  using _terminate = environment.onSignal(['SIGTERM'], () => events.add('ctrl+c'));
  using _resize = stdout.onResize(() => events.add(resized));
  await stdout.write(enterScreen);
  try {
    while (true) {
      await draw();
      const event = await events.next();
      const step = event === resized ? resizeScreen(state, screenRowsOf(environment)) : pressKey(state, event);
      state = step.state;
      if (step.effect.kind === 'quit') return current;
      await carryOut(step.effect);
    }
  } finally {
    await stdout.write(leaveScreen);
  }
}

/** Keys and resizes in the order they came. While something loads, Ctrl-C interrupts it. */
class EventQueue {
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
