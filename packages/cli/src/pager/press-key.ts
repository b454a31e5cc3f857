import type { Key } from '../environment.ts';
import {
  type PagerEffect,
  type PagerState,
  type PagerStep,
  type Prompt,
  scrollMax,
} from './pager-state.ts';

const none: PagerEffect = { kind: 'none' };
const quit: PagerEffect = { kind: 'quit' };
const pageSizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
const pageSizeMax = 10_000;

/**
 * Returns the next state after a key, and its effect. A requested page is shown after `pageLoaded`.
 */
export function pressKey(before: PagerState, key: Key): PagerStep {
  const { message: _said, ...state } = before;
  if (key === 'ctrl+c') return { state, effect: quit };
  if (state.helpIsOpen) {
    return { state: { ...state, helpIsOpen: false }, effect: key === 'q' ? quit : none };
  }
  if (state.prompt !== undefined) return typeInPrompt(state, state.prompt, key);
  return move(state, key);
}

function move(state: PagerState, key: Key): PagerStep {
  switch (key) {
    case 'n':
    case 'right':
      return nextPage(state);
    case 'space':
    case 'pagedown':
      return state.scroll < scrollMax(state) ? scrollBy(state, state.screenRows) : nextPage(state);
    case 'p':
    case 'b':
    case 'left':
      return previousPage(state);
    case 'pageup':
      return state.scroll > 0 ? scrollBy(state, -state.screenRows) : previousPage(state);
    case 'home':
      return load(state, 0);
    case 'end':
    case 'G':
      return load(state, Math.max(0, state.totalRowCount - state.pageSize));
    case 'down':
    case 'j':
      return scrollBy(state, 1);
    case 'up':
    case 'k':
      return scrollBy(state, -1);
    case '>':
    case '.':
      return showColumn(state, state.firstColumn + 1);
    case '<':
    case ',':
      return showColumn(state, state.firstColumn - 1);
    case '+':
    case '=':
      return resizePage(state, pageSizes.find((size) => size > state.pageSize) ?? pageSizeMax);
    case '-':
      return resizePage(state, pageSizes.findLast((size) => size < state.pageSize) ?? 1);
    case 'g':
      return { state: { ...state, prompt: { kind: 'row', digits: '' } }, effect: none };
    case 's':
      return { state: { ...state, prompt: { kind: 'size', digits: '' } }, effect: none };
    case '?':
    case 'h':
      return { state: { ...state, helpIsOpen: true }, effect: none };
    case 'q':
    case 'escape':
      return { state, effect: quit };
    default:
      return { state, effect: none };
  }
}

function typeInPrompt(state: PagerState, prompt: Prompt, key: Key): PagerStep {
  const { prompt: _closed, ...closed } = state;
  if (key === 'escape' || (key === 'backspace' && prompt.digits === '')) {
    return { state: closed, effect: none };
  }
  if (key === 'backspace') {
    return {
      state: { ...state, prompt: { ...prompt, digits: prompt.digits.slice(0, -1) } },
      effect: none,
    };
  }
  if (key === 'return') {
    return prompt.digits === '' ? { state: closed, effect: none } : answerPrompt(closed, prompt);
  }
  // 15 digits are always a safe integer.
  if (!/^\d$/.test(key) || prompt.digits.length >= 15) return { state, effect: none };
  return { state: { ...state, prompt: { ...prompt, digits: prompt.digits + key } }, effect: none };
}

function answerPrompt(state: PagerState, prompt: Prompt): PagerStep {
  const number = Number(prompt.digits);
  if (prompt.kind === 'row') {
    // Users count rows from 1.
    if (number < 1 || number > state.totalRowCount) {
      return say(state, `There is no row ${number.toLocaleString('en-US')}.`);
    }
    return load(state, number - 1);
  }
  if (number < 1 || number > pageSizeMax) {
    return say(
      state,
      `The page size must be from 1 to ${pageSizeMax.toLocaleString('en-US')} rows.`,
    );
  }
  return resizePage(state, number);
}

function nextPage(state: PagerState): PagerStep {
  const offset = state.offset + state.pageSize;
  return offset < state.totalRowCount ? load(state, offset) : say(state, 'This is the last page.');
}

function previousPage(state: PagerState): PagerStep {
  return state.offset > 0
    ? load(state, Math.max(0, state.offset - state.pageSize))
    : say(state, 'This is the first page.');
}

function load(state: PagerState, offset: number): PagerStep {
  return { state, effect: { kind: 'load', page: { offset, rowCount: state.pageSize } } };
}

function resizePage(state: PagerState, pageSize: number): PagerStep {
  const page = { offset: state.offset, rowCount: pageSize };
  return { state: { ...state, pageSizeFollowsScreen: false }, effect: { kind: 'load', page } };
}

function scrollBy(state: PagerState, rows: number): PagerStep {
  return {
    state: { ...state, scroll: Math.max(0, Math.min(state.scroll + rows, scrollMax(state))) },
    effect: none,
  };
}

function showColumn(state: PagerState, column: number): PagerStep {
  return {
    state: { ...state, firstColumn: Math.max(0, Math.min(column, state.columnCount - 1)) },
    effect: none,
  };
}

function say(state: PagerState, message: string): PagerStep {
  return { state: { ...state, message }, effect: none };
}
