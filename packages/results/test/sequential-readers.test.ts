import type { RequestId } from '@quire/core';
import { beforeEach, expect, test } from 'vitest';
import { SequentialReaders } from '../src/page-reader.ts';

const one = '0190163d-8694-739b-aea5-966c26f8ad91' as RequestId;
const other = '0190163d-8694-739b-aea5-966c26f8ad92' as RequestId;
let sequences: SequentialReaders;

beforeEach(() => {
  sequences = new SequentialReaders();
});

function nextOf(
  start: number,
  end: number,
  requestId = one,
): readonly [number, number] | undefined {
  const next = sequences.nextOf(requestId, { start, end }, 100);
  return next && [next.start, next.end];
}

test('who reads one page and then the one behind it is expected to go on, to the end', () => {
  expect([nextOf(0, 30), nextOf(30, 60), nextOf(60, 90), nextOf(90, 100)]).toEqual([
    undefined,
    [60, 90],
    [90, 100],
    undefined,
  ]);
});

test('who reads backwards is expected to go on, to the start', () => {
  expect([nextOf(70, 100), nextOf(40, 70), nextOf(10, 40), nextOf(0, 10)]).toEqual([
    undefined,
    [10, 40],
    [0, 10],
    undefined,
  ]);
});

test('who turns back at the end is expected to go on by whole pages', () => {
  expect([nextOf(60, 90), nextOf(90, 100), nextOf(60, 90)]).toEqual([
    undefined,
    undefined,
    [30, 60],
  ]);
});

test('nothing is expected of who reads here and there, or the same again', () => {
  expect([nextOf(0, 10), nextOf(50, 60), nextOf(20, 30), nextOf(20, 30), nextOf(100, 100)]).toEqual(
    Array(5).fill(undefined),
  );
});

test('each result is a walk of its own', () => {
  expect([nextOf(0, 10), nextOf(10, 20, other), nextOf(10, 20)]).toEqual([
    undefined,
    undefined,
    [20, 30],
  ]);
});
