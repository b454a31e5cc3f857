import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  openPager,
  pageFailed,
  pageLoaded,
  type PagerState,
  resizeScreen,
} from '../src/pager/pager-state.ts';
import { pressKey } from '../src/pager/press-key.ts';

function pagerOf(overrides: Partial<PagerState> = {}): PagerState {
  return {
    ...openPager({ totalRowCount: 100, columnCount: 5, offset: 0, screenRows: 10 }),
    ...overrides,
  };
}

/** Presses keys one after the other; every requested page arrives at once. */
function press(
  start: PagerState,
  ...keys: readonly string[]
): { state: PagerState; loads: string[]; quit: boolean } {
  const loads: string[] = [];
  let state = start;
  for (const key of keys) {
    const step = pressKey(state, key);
    state = step.state;
    if (step.effect.kind === 'quit') return { state, loads, quit: true };
    if (step.effect.kind === 'load') {
      loads.push(`${step.effect.page.offset}+${step.effect.page.rowCount}`);
      state = pageLoaded(state, step.effect.page);
    }
  }
  return { state, loads, quit: false };
}

describe('turning pages', () => {
  it.each(['n', 'right', 'space', 'pagedown'])(
    'turning pages: %s asks for the next page',
    (key) => {
      expect(press(pagerOf(), key, key).loads).toEqual(['10+10', '20+10']);
    },
  );

  it.each(['p', 'b', 'left', 'pageup'])(
    'turning pages: %s asks for the page before, from row 0 at the least',
    (key) => {
      expect(press(pagerOf({ offset: 15 }), key, key).loads).toEqual(['5+10', '0+10']);
    },
  );

  it('turning pages says so at the end and at the start, and asks for nothing', () => {
    const end = press(pagerOf({ offset: 90 }), 'n');
    expect([end.state.message, end.loads]).toEqual(['This is the last page.', []]);
    const start = press(pagerOf(), 'p');
    expect([start.state.message, start.loads]).toEqual(['This is the first page.', []]);
  });

  it.each(['G', 'end'])('turning pages: %s shows the last rows, a full page of them', (key) => {
    expect(press(pagerOf(), key).loads).toEqual(['90+10']);
    expect(press(pagerOf({ totalRowCount: 4 }), key).loads).toEqual(['0+10']);
  });

  it('the key Home shows the first rows', () => {
    expect(press(pagerOf({ offset: 50 }), 'home').loads).toEqual(['0+10']);
  });

  it('turning pages covers every row of any result, walking by n and changing the page size on the way', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.constantFrom('+', '-')),
        (total, rows, sizes) => {
          let state = pagerOf({ totalRowCount: total, pageSize: rows, screenRows: rows });
          const seen = new Set<number>();
          const show = (): void => {
            for (
              let row = state.offset;
              row < Math.min(total, state.offset + state.pageSize);
              row += 1
            ) {
              seen.add(row);
            }
          };
          show();
          for (let turn = 0; state.message === undefined; turn += 1) {
            state = press(state, ...sizes.slice(turn, turn + 1)).state;
            show();
            state = press(state, 'n').state;
            show();
          }
          expect(seen.size).toBe(total);
        },
      ),
    );
  });
});

describe('a page larger than the screen', () => {
  const tall = pagerOf({ pageSize: 25, pageSizeFollowsScreen: false });

  it('a page larger than the screen scrolls by lines, within its rows', () => {
    expect(press(tall, 'down', 'j', 'up').state.scroll).toBe(1);
    expect(press(tall, 'up').state.scroll).toBe(0);
    expect(press(tall, ...Array.from({ length: 40 }, () => 'down')).state.scroll).toBe(15);
  });

  it('a page larger than the screen scrolls by screens with Space before the next page comes, which starts at its top', () => {
    const { state, loads } = press(tall, 'space', 'space', 'space');
    expect([loads, state.scroll]).toEqual([['25+25'], 0]);
  });

  it('a page larger than the screen does not scroll further than the rows that a short last page has', () => {
    expect(press({ ...tall, offset: 90 }, 'down').state.scroll).toBe(0);
  });
});

describe('going to a row', () => {
  it('going to a row counts rows from 1, and shows the digits while they are typed', () => {
    const typing = press(pagerOf(), 'g', '4', '2');
    expect(typing.state.prompt).toEqual({ kind: 'row', digits: '42' });
    const gone = press(typing.state, 'return');
    expect([gone.loads, gone.state.prompt]).toEqual([['41+10'], undefined]);
  });

  it.each([['0'], ['101'], ['999999999999999999']])(
    'going to a row says that there is no row %s',
    (digits) => {
      const { state, loads } = press(pagerOf(), 'g', ...digits.split(''), 'return');
      expect(loads).toEqual([]);
      expect(state.message).toMatch(/^There is no row [\d,]+\.$/);
    },
  );

  it('going to a row takes back digits, takes only digits, and is left by Escape, by Return alone and by deleting beyond the start', () => {
    expect(press(pagerOf(), 'g', '1', '2', 'backspace', 'x', 'n', '3').state.prompt).toEqual({
      kind: 'row',
      digits: '13',
    });
    for (const keys of [['escape'], ['return'], ['backspace'], ['5', 'escape']]) {
      const left = press(pagerOf(), 'g', ...keys);
      expect([left.state.prompt, left.loads, left.quit]).toEqual([undefined, [], false]);
    }
  });
});

describe('the page size', () => {
  it('the page size grows and shrinks in steps of 1, 2 and 5, and keeps the first row', () => {
    expect(press(pagerOf({ offset: 30 }), '+', '+', '-', '-', '-').loads).toEqual([
      '30+20',
      '30+50',
      '30+20',
      '30+10',
      '30+5',
    ]);
    expect(press(pagerOf({ pageSize: 1 }), '-').loads).toEqual(['0+1']);
  });

  it('the page size is set by number', () => {
    expect(press(pagerOf({ offset: 7 }), 's', '3', '3', 'return', 'n').loads).toEqual([
      '7+33',
      '40+33',
    ]);
    expect(press(pagerOf(), 's', '0', 'return').state.message).toBe(
      'The page size must be from 1 to 10,000 rows.',
    );
    expect(press(pagerOf(), 's', ...'10001'.split(''), 'return').state.message).toBe(
      'The page size must be from 1 to 10,000 rows.',
    );
  });

  it('the page size follows the height of the terminal until it is set', () => {
    expect(resizeScreen(pagerOf({ offset: 20 }), 30).effect).toEqual({
      kind: 'load',
      page: { offset: 20, rowCount: 30 },
    });
    expect(resizeScreen(pagerOf(), 10).effect).toEqual({ kind: 'none' });
    const { state } = press(pagerOf(), 's', '5', 'return');
    expect(resizeScreen(state, 30)).toEqual({
      state: { ...state, screenRows: 30 },
      effect: { kind: 'none' },
    });
  });
});

describe('columns', () => {
  it('columns are moved by < and >, from the first to the last', () => {
    expect(press(pagerOf(), '>', '>', '<').state.firstColumn).toBe(1);
    expect(press(pagerOf(), '<').state.firstColumn).toBe(0);
    expect(press(pagerOf(), ...Array.from({ length: 9 }, () => '>')).state.firstColumn).toBe(4);
  });
});

describe('the rest', () => {
  it.each(['q', 'escape', 'ctrl+c'])('the key %s quits', (key) => {
    expect(press(pagerOf(), key).quit).toBe(true);
  });

  it('Ctrl-C quits from a prompt and from the help as well', () => {
    expect([press(pagerOf(), 'g', 'ctrl+c').quit, press(pagerOf(), '?', 'ctrl+c').quit]).toEqual([
      true,
      true,
    ]);
  });

  it('the help opens by ? and closes by any key, which does nothing else', () => {
    expect(press(pagerOf(), '?').state.helpIsOpen).toBe(true);
    const { state, loads } = press(pagerOf(), '?', 'n');
    expect([state.helpIsOpen, loads]).toEqual([false, []]);
  });

  it('a key without a meaning changes nothing', () => {
    expect(pressKey(pagerOf(), 'z')).toEqual({ state: pagerOf(), effect: { kind: 'none' } });
  });

  it('a message stays until the next key, and a page that does not come leaves the old one', () => {
    const failed = pageFailed(pagerOf({ offset: 20 }), 'The result has expired.');
    expect([failed.offset, failed.message]).toEqual([20, 'The result has expired.']);
    expect(pressKey(failed, 'z').state.message).toBeUndefined();
  });
});
