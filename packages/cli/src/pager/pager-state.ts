import type { QueryPage } from '@quire/client';
import type { PageRequest } from '@quire/core';

/** A page, and how long it took to come. */
export interface TimedPage {
  readonly page: QueryPage;
  readonly elapsedMs: number;
}

/** A line that is being typed: the row to go to, or a page size. */
export interface Prompt {
  readonly kind: 'row' | 'size';
  readonly digits: string;
}

/** All that the pager knows between two keys. */
export interface PagerState {
  readonly totalRowCount: number;
  /** Number of the first row of the page that is shown, from 0 on. */
  readonly offset: number;
  readonly pageSize: number;
  /** The page size follows the height of the terminal, until the user sets one. */
  readonly pageSizeFollowsScreen: boolean;
  /** Rows that fit on the screen. */
  readonly screenRows: number;
  /**
   * First row of the page that is on the screen: more than 0 when a page is larger than the screen.
   */
  readonly scroll: number;
  /** First column on the screen. */
  readonly firstColumn: number;
  readonly columnCount: number;
  readonly prompt?: Prompt;
  readonly helpIsOpen: boolean;
  /** Said once, until the next key. */
  readonly message?: string;
}

/** What the world has to do about a key. */
export type PagerEffect =
  | { readonly kind: 'none' }
  | { readonly kind: 'load'; readonly page: PageRequest }
  | { readonly kind: 'quit' };

export interface PagerStep {
  readonly state: PagerState;
  readonly effect: PagerEffect;
}

/** The pager when its first page has come. */
export function openPager(options: {
  readonly totalRowCount: number;
  readonly columnCount: number;
  readonly offset: number;
  readonly screenRows: number;
  /** Absent: as many rows as fit on the screen. */
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

/** The state when the page that `pressKey` or `resizeScreen` asked for has come. */
export function pageLoaded(state: PagerState, page: PageRequest): PagerState {
  return { ...state, offset: page.offset, pageSize: page.rowCount, scroll: 0 };
}

/** The state when something went wrong: the page stays as it is. */
export function pageFailed(state: PagerState, message: string): PagerState {
  return { ...state, message };
}

/** What a new size of the terminal does. */
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

/** The last scroll position at which the screen is still full. */
export function scrollMax(state: PagerState): number {
  const rows = Math.min(state.pageSize, state.totalRowCount - state.offset);
  return Math.max(0, rows - state.screenRows);
}
