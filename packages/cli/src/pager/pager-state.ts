import type { QueryPage } from '@quire/client';
import type { PageRequest } from '@quire/core';

/** A page, and the time that it took to load. */
export interface TimedPage {
  readonly page: QueryPage;
  readonly elapsedMs: number;
}

/** A line that is being typed: the row to go to, or a page size. */
export interface Prompt {
  readonly kind: 'row' | 'size';
  readonly digits: string;
}

/** The state of the pager between two keys. */
export interface PagerState {
  readonly totalRowCount: number;
  /** The number of the first row of the shown page, from 0. */
  readonly offset: number;
  readonly pageSize: number;
  /** True until the user sets a page size: then it follows the height of the terminal. */
  readonly pageSizeFollowsScreen: boolean;
  /** The number of rows that fit on the screen. */
  readonly screenRows: number;
  /**
   * The first row of the page that is on the screen: more than 0 if a page is larger than the
   * screen.
   */
  readonly scroll: number;
  /** The first column on the screen. */
  readonly firstColumn: number;
  readonly columnCount: number;
  readonly prompt?: Prompt;
  readonly helpIsOpen: boolean;
  /** Shown once, until the next key. */
  readonly message?: string;
}

/** The effect of a key outside of the state. */
export type PagerEffect =
  | { readonly kind: 'none' }
  | { readonly kind: 'load'; readonly page: PageRequest }
  | { readonly kind: 'quit' };

export interface PagerStep {
  readonly state: PagerState;
  readonly effect: PagerEffect;
}

/** Returns the state of a pager with its first page. */
export function openPager(options: {
  readonly totalRowCount: number;
  readonly columnCount: number;
  readonly offset: number;
  readonly screenRows: number;
  /** The rows per page; by default, as many as fit on the screen. */
  readonly pageSize?: number | undefined;
}): PagerState {
  return {
    totalRowCount: options.totalRowCount,
    columnCount: options.columnCount,
    offset: options.offset,
    pageSize: options.pageSize ?? options.screenRows,
    pageSizeFollowsScreen: options.pageSize === undefined,
    screenRows: options.screenRows,
    scroll: 0,
    firstColumn: 0,
    helpIsOpen: false,
  };
}

/** Returns the state after the page that `pressKey` or `resizeScreen` requested is loaded. */
export function pageLoaded(state: PagerState, page: PageRequest): PagerState {
  return { ...state, offset: page.offset, pageSize: page.rowCount, scroll: 0 };
}

/** Returns the state after a failure: the page is unchanged. */
export function pageFailed(state: PagerState, message: string): PagerState {
  return { ...state, message };
}

/** Returns the state after a change of the terminal's size. */
export function resizeScreen(state: PagerState, screenRows: number): PagerStep {
  const resized = {
    ...state,
    screenRows,
    scroll: Math.min(state.scroll, scrollMax({ ...state, screenRows })),
  };
  if (!state.pageSizeFollowsScreen || screenRows === state.pageSize) {
    return { state: resized, effect: { kind: 'none' } };
  }
  return {
    state: resized,
    effect: { kind: 'load', page: { offset: state.offset, rowCount: screenRows } },
  };
}

/** Returns the last scroll position at which the screen is still full. */
export function scrollMax(state: PagerState): number {
  const rows = Math.min(state.pageSize, state.totalRowCount - state.offset);
  return Math.max(0, rows - state.screenRows);
}
