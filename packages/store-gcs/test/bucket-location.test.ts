import { isQuireError } from '@quire/core';
import { describe, expect, test } from 'vitest';
import { parseBucketLocation } from '../src/index.ts';

describe('a place in a bucket', () => {
  test.each([
    ['gs://results', { bucket: 'results', prefix: '' }],
    ['gs://results/', { bucket: 'results', prefix: '' }],
    ['gs://results/team-1', { bucket: 'results', prefix: 'team-1/' }],
    ['gs://my.results/a/b=c//', { bucket: 'my.results', prefix: 'a/b=c/' }],
  ])('%s is read', (uri, place) => {
    expect(parseBucketLocation(uri)).toEqual(place);
  });

  test.each([
    '',
    'results',
    'http://results',
    'gs:/results',
    'gs://',
    'gs://R',
    'gs://results/a//b',
    'gs://results/../x',
    'gs://results/a b',
  ])('%j is refused', (uri) => {
    const refused = (): unknown => parseBucketLocation(uri);
    expect(refused).toThrow(expect.toSatisfy((error) => isQuireError(error, 'INVALID_PARAMETER')));
  });
});
