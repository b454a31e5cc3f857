import { isQuireError, type PageRequest, QuireError } from '@quire/core';
import type { Environment, Key } from '../environment.ts';
import {
  type TimedPage,
  openPager,
  pageFailed,
  pageLoaded,
  type PagerState,
  resizeScreen,
} from './pager-state.ts';
import { type Styles, stylesFor } from '../styles.ts';
import type { PlannedColumn } from '../table/plan-columns.ts';
import { planTable } from '../table/text-table.ts';
import { renderScreen, reservedLines } from './pager-screen.ts';
import { pressKey } from './press-key.ts';

/** Keys and resizes in order of arrival. Ctrl-C interrupts loading, or else ends the pager. */
class EventQueue {
  readonly #events: Key[] = [];
  #wake: (() => void) | undefined;
  #interrupt: (() => void) | undefined;

  add(event: Key): void {
    const isBusy = this.#interrupt !== undefined;
    if (isBusy && event === 'ctrl+c') return this.#interrupt?.();
    // A held key repeats faster than pages load: the pager must stop when the key is released.
    if (isBusy && event === this.#events.at(-1) && !/^\d$/.test(event)) return;
    this.#events.push(event);
    this.#wake?.();
  }

  /** Interrupts loading, and ends the pager before all other events. */
  end(): void {
    this.#interrupt?.();
    this.#events.unshift('ctrl+c');
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

  /** Marks the time of loading, during which Ctrl-C calls `listener`, until disposed. */
  whileLoading(listener: () => void): Disposable {
    this.#interrupt = listener;
    return {
      [Symbol.dispose]: () => {
        this.#interrupt = undefined;
      },
    };
  }
}

export interface PagerOptions {
  /** The rows of a page; by default, as many as fit on the screen. */
  readonly pageSize?: number | undefined;
  /**
   * Reads a page of the result. @throws ABORTED when the signal is aborted, or the error of the
   * page
   */
  readonly load: (page: PageRequest, signal: AbortSignal) => Promise<TimedPage>;
  /** Notifies of the growth of the result, until disposed; absent if the result is complete. */
  readonly watch?: ((notify: (growth: Growth) => void) => Disposable) | undefined;
}

/** The progress of the query of a result that can be read while it grows. */
export interface Growth {
  readonly totalRowCount: number;
  readonly isGrowing: boolean;
  /** The reason of its failure. */
  readonly failure?: string | undefined;
}

/** An event in the queue of keys for new rows. */
const grown: Key = 'grown';

/** An event in the queue of keys for a new size of the terminal. */
const resized: Key = 'resized';

const enterScreen = '\u001b[?1049h\u001b[?25l';
const leaveScreen = '\u001b[?25h\u001b[?1049l';
const startOfScreen = '\u001b[H';
const clearToEndOfLine = '\u001b[K';
const clearToEndOfScreen = '\u001b[J';

/** Returns the number of rows of a result that fit on the terminal. */
export function screenRowsOf({ stdout }: Environment): number {
  return Math.max(1, stdout.size.rows - reservedLines);
}

/**
 * Lets the user browse a result with keys until they quit; resolves to the last shown page. It uses
 * the whole terminal, and restores it afterwards.
 */
export async function runPager(
  environment: Environment,
  first: TimedPage,
  options: PagerOptions,
): Promise<TimedPage> {
  const { stdin, stdout } = environment;
  const events = new EventQueue();
  const pager = new Pager(environment, first, options);
  using _keys = stdin.onKey((key) => events.add(key));
  using _terminate = environment.onSignal(['SIGTERM'], () => events.end());
  using _watch = options.watch?.((growth) => {
    pager.growth = growth;
    events.add(grown);
  });
  using _resize = stdout.onResize(() => events.add(resized));
  await stdout.write(enterScreen);
  try {
    await pager.draw();
    while (await pager.take(await events.next(), events)) await pager.draw();
    return pager.shown;
  } finally {
    await stdout.write(leaveScreen);
  }
}

/** The state of the pager, and the page that it shows. */
class Pager {
  readonly #environment: Environment;
  readonly #styles: Styles;
  readonly #options: PagerOptions;
  /** The progress of the query; undefined if it had ended before its first page was shown. */
  growth: Growth | undefined;
  #shown: TimedPage;
  #state: PagerState;
  /**
   * The layout of the shown page, cached because computing it for every key would be slow for large
   * pages.
   */
  #layout: { readonly of: string; readonly plan: readonly PlannedColumn[] } | undefined;

  constructor(environment: Environment, first: TimedPage, options: PagerOptions) {
    this.#environment = environment;
    this.#styles = stylesFor(environment.stdout, environment.variables);
    this.#options = options;
    if (options.watch !== undefined) {
      this.growth = { totalRowCount: first.page.totalRowCount, isGrowing: true };
    }
    this.#shown = first;
    this.#state = openPager({
      totalRowCount: first.page.totalRowCount,
      columnCount: first.page.columns.length,
      offset: first.page.offset,
      screenRows: screenRowsOf(environment),
      pageSize: options.pageSize,
    });
  }

  get shown(): TimedPage {
    return this.#shown;
  }

  /** Handles a key; resolves to true if the pager continues. */
  async take(key: Key, events: EventQueue): Promise<boolean> {
    if (key === grown) {
      this.#grow();
      return true;
    }
    const isResize = key === resized;
    const { state, effect } = isResize
      ? resizeScreen(this.#state, screenRowsOf(this.#environment))
      : pressKey(this.#state, key);
    this.#state = state;
    if (effect.kind === 'load') await this.#load(effect.page, events);
    return effect.kind !== 'quit';
  }

  async draw(isLoading = false): Promise<void> {
    const { stdout } = this.#environment;
    const { page, elapsedMs } = this.#shown;
    const { columns } = stdout.size;
    const plan = this.#planColumns(columns);
    const lines = renderScreen(this.#state, page, {
      columns,
      styles: this.#styles,
      plan,
      elapsedMs,
      isLoading,
      isGrowing: this.growth?.isGrowing,
    });
    await stdout.write(
      startOfScreen +
        lines.map((line) => line + clearToEndOfLine).join('\r\n') +
        clearToEndOfScreen,
    );
  }

  #grow(): void {
    const { totalRowCount = 0, failure } = this.growth ?? {};
    this.#shown = { ...this.#shown, page: { ...this.#shown.page, totalRowCount } };
    this.#state = { ...this.#state, totalRowCount };
    if (failure !== undefined) this.#state = pageFailed(this.#state, failure);
  }

  async #load(page: PageRequest, events: EventQueue): Promise<void> {
    const aborter = new AbortController();
    using _loading = events.whileLoading(() =>
      aborter.abort(new QuireError('ABORTED', 'Cancelled.')),
    );
    try {
      await this.draw(true);
      this.#shown = await this.#options.load(page, aborter.signal);
      this.#layout = undefined;
      const { totalRowCount } = this.#shown.page;
      this.#state = { ...pageLoaded(this.#state, page), totalRowCount };
    } catch (error) {
      if (isQuireError(error, 'OUTPUT_CLOSED') || !isQuireError(error)) throw error;
      this.#state = pageFailed(this.#state, error.message);
    }
  }

  #planColumns(widthMax: number): readonly PlannedColumn[] {
    const { firstColumn } = this.#state;
    const of = `${firstColumn} in ${widthMax}`;
    if (this.#layout?.of !== of) {
      const { columns, rows } = this.#shown.page;
      this.#layout = { of, plan: planTable(columns, rows, { widthMax, firstColumn }) };
    }
    return this.#layout.plan;
  }
}
