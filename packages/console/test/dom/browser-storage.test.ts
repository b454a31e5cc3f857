import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { QueryHistory } from '../../app/query/history.ts';
import { SheetStore } from '../../app/query/sheets.ts';

const spaceMax = 1000;

/** The texts that a browser stores for an origin, up to a number of characters. */
class LimitedStorage {
  readonly #texts = new Map<string, string>();

  getItem(key: string): string | null {
    return this.#texts.get(key) ?? null;
  }

  setItem(key: string, text: string): void {
    const others = [...this.#texts].filter(([name]) => name !== key);
    const size = others.reduce((sum, [, each]) => sum + each.length, text.length);
    if (size > spaceMax) throw new DOMException('The storage is full.', 'QuotaExceededError');
    this.#texts.set(key, text);
  }
}

beforeEach(() => {
  vi.stubGlobal('localStorage', new LimitedStorage());
  vi.stubGlobal('sessionStorage', new LimitedStorage());
  vi.stubGlobal('addEventListener', () => undefined);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const remembered = (history: QueryHistory): readonly string[] =>
  history.read().map(({ sql }) => sql.slice(0, 2));

test('a history without space forgets the older queries, and a query that is too long itself', () => {
  const history = new QueryHistory('ann');
  for (const name of ['Q1', 'Q2', 'Q3', 'Q4', 'Q5']) history.add(name.padEnd(200, 'x'));
  expect(remembered(history)).toEqual(['Q5', 'Q4']);
  history.add('Q6'.padEnd(2 * spaceMax, 'x'));
  history.settle('Q6'.padEnd(2 * spaceMax, 'x'), { kind: 'cancelled', sql: '', elapsedMs: 1 });
  expect(remembered(history)).toEqual(['Q5', 'Q4']);
});

test('sheets of a file have what the console can show, whatever the file contains', () => {
  const sheets = new SheetStore('ann');
  const sheet = { id: 'a', name: 'A', text: 'SELECT 1' };
  const known = { ...sheet, id: 'b', resultIds: ['r'] };
  const strange = [{ ...sheet, resultIds: 5 }, { ...known, extra: {} }, { id: 'c' }, null];
  expect(sheets.add(JSON.stringify({ sheets: strange, saved: [] }))).toBe(2);
  expect(sheets.read().sheets.slice(1)).toEqual([sheet, known]);
});

test('sheets without space keep the text, and report that it is not stored until it is', () => {
  const sheets = new SheetStore('ann');
  const { id } = sheets.read().current;
  const write = (text: string) => {
    sheets.change(id, { text });
    const { current, isStored } = sheets.read();
    return [current.text.length, isStored, new SheetStore('ann').read().current.text.length];
  };
  expect(write('x'.repeat(100))).toEqual([100, true, 100]);
  expect(write('x'.repeat(2 * spaceMax))).toEqual([2 * spaceMax, false, 100]);
  sheets.select(id);
  expect(sheets.read().isStored).toBe(false);
  expect(write('x'.repeat(200))).toEqual([200, true, 200]);
});

test('a window keeps what another one has written, even if it has not been notified yet', () => {
  const first = new SheetStore('ann');
  const { id } = first.open('SELECT 1');
  const second = new SheetStore('ann');
  first.change(id, { text: 'SELECT 2' });
  // Such as the end of a query in a window in the background.
  second.show(id, 'result');
  expect(new SheetStore('ann').read().sheets).toEqual([
    { id, name: 'Query 1', text: 'SELECT 2', resultIds: ['result'] },
  ]);
  expect(second.read().current.text).toBe('SELECT 2');
  first.keep({ name: 'two', sql: 'SELECT 2' });
  second.keep({ name: 'three', sql: 'SELECT 3' });
  first.change(id, { text: 'SELECT 4' });
  second.forget('three');
  const { sheets, saved } = new SheetStore('ann').read();
  expect([sheets[0]?.text, saved]).toEqual(['SELECT 4', [{ name: 'two', sql: 'SELECT 2' }]]);
});
