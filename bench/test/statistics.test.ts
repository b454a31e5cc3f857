import { describe, expect, test } from 'vitest';
import { quantile, ratioOfRounds, spreadOfRounds, summarize } from '../src/measure/statistics.ts';

const oneTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('quantile', () => {
  test.each([
    [[7], 0.5, 7],
    [[1, 2], 0.5, 1.5],
    [[1, 2, 4], 0.5, 2],
    [[1, 2, 4], 0.75, 3],
    [[1, 2, 4], 0, 1],
    [[1, 2, 4], 1, 4],
  ])('quantile of %j at %d is %d', (sorted, fraction, expected) => {
    expect(quantile(sorted, fraction)).toBe(expected);
  });

  test.each([
    [[], 0.5],
    [[1], 1.5],
    [[1, 2], -1],
  ])('quantile of %j at %d does not exist', (sorted, fraction) => {
    expect(() => quantile(sorted, fraction)).toThrow(RangeError);
  });
});

describe('summarize', () => {
  test('summarize does not depend on the order of the samples, and leaves them as they are', () => {
    const samples = [3, 1, 10, 2];
    expect(summarize(samples)).toEqual({ count: 4, median: 2.5, p99: null, min: 1, max: 10 });
    expect(samples).toEqual([3, 1, 10, 2]);
  });

  test('summarize sorts by size, not by digits', () => {
    expect(summarize([9, 80, 700])).toMatchObject({ median: 80, min: 9, max: 700 });
  });

  test('summarize knows the 99th percentile from 100 samples on', () => {
    expect(summarize(oneTo(99)).p99).toBeNull();
    expect(summarize(oneTo(101)).p99).toBe(100);
  });

  test.each([[[]], [[1, NaN]], [[Infinity]]])('summarize refuses %j', (samples) => {
    expect(() => summarize(samples)).toThrow(RangeError);
  });
});

describe('spreadOfRounds', () => {
  test('spreadOfRounds spans the medians of the rounds, whatever lies outside of them', () => {
    expect(spreadOfRounds([[1, 2, 1000], [4], [3, 3]])).toEqual({ median: 3, min: 2, max: 4 });
  });

  test('spreadOfRounds refuses a round without samples', () => {
    expect(() => spreadOfRounds([[1], []])).toThrow(RangeError);
  });
});

describe('ratioOfRounds', () => {
  test('ratioOfRounds compares within a round, so that a round that is slow for both changes nothing', () => {
    expect(ratioOfRounds([[10], [1000], [10]], [[2], [200], [2]])).toEqual({
      median: 5,
      min: 5,
      max: 5,
    });
  });

  test('ratioOfRounds takes the median of the ratios, and their range', () => {
    expect(ratioOfRounds([[2], [9], [4, 4, 400]], [[1], [3], [4]])).toEqual({
      median: 2,
      min: 1,
      max: 3,
    });
  });

  test('ratioOfRounds refuses another number of rounds, and a round without samples', () => {
    expect(() => ratioOfRounds([[1]], [[1], [2]])).toThrow(RangeError);
    expect(() => ratioOfRounds([[1]], [[]])).toThrow(RangeError);
  });
});
