import { describe, expect, test } from 'vitest';
import { reportComparison, type Unit } from '../src/measure/comparison.ts';
import { interleave } from '../src/measure/interleave.ts';

describe('interleave', () => {
  test('warms each contender up, then gives all of them a turn in each round, beginning with another one', async () => {
    const turns: string[] = [];
    const contenders = ['a', 'b', 'c'].map((name) => ({
      sample(durationMs: number) {
        turns.push(`${name}${durationMs}`);
        return Promise.resolve([turns.length]);
      },
    }));
    const slices: string[] = [];
    const samples = await interleave(contenders, {
      count: 2,
      sliceMs: 10,
      onSlice: (index, count) => slices.push(`${index}/${count}`),
    });
    expect(turns).toEqual(['a5', 'b5', 'c5', 'a10', 'b10', 'c10', 'b10', 'c10', 'a10']);
    expect(samples).toEqual([
      [[4], [9]],
      [[5], [7]],
      [[6], [8]],
    ]);
    expect(slices).toEqual(['0/9', '1/9', '2/9', '3/9', '4/9', '5/9', '6/9', '7/9', '8/9']);
  });

  test('a comparison rejects as soon as a contender does', async () => {
    const failing = { sample: () => Promise.reject(new Error('no such page')) };
    await expect(interleave([failing], { count: 1, sliceMs: 1 })).rejects.toThrow('no such page');
  });
});

describe('reportComparison', () => {
  const report = (unit: Unit, comparesLevels: boolean) =>
    reportComparison({ id: 'id', title: 'title', unit, factor: 'offset', comparesLevels }, [
      { level: 'first', name: 'quire', rounds: [[2], [4]] },
      { level: 'first', name: 'rival', rounds: [[8], [20]] },
      { level: 'last', name: 'quire', rounds: [[4], [8]] },
    ]).figures.map(({ quireBetterBy, ofFirstLevel }) => [
      quireBetterBy?.median,
      ofFirstLevel?.median,
    ]);

  test('a comparison says by how much Quire is better: of times, by how much the rival takes longer', () => {
    expect(report('ms', true)).toEqual([
      [undefined, undefined],
      [4.5, undefined],
      [undefined, 2],
    ]);
  });

  test('a comparison says by how much Quire is better: of rates, by how much more it does', () => {
    expect(report('rows/s', true)).toEqual([
      [undefined, undefined],
      [0.225, undefined],
      [undefined, 2],
    ]);
  });

  test('compares levels only where that says something', () => {
    expect(report('ms', false)).toEqual([
      [undefined, undefined],
      [4.5, undefined],
      [undefined, undefined],
    ]);
  });
});
