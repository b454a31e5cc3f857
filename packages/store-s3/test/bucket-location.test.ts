import { isQuireError } from '@quire/core';
import { describe, expect, test } from 'vitest';
import { parseBucketLocation } from '../src/index.ts';

describe('a place in a bucket', () => {
  test.each([
    ['s3://results', { bucket: 'results', prefix: '' }],
    ['s3://results/', { bucket: 'results', prefix: '' }],
    ['s3://results/team-1', { bucket: 'results', prefix: 'team-1/' }],
    ['s3://my.results/a/b=c//', { bucket: 'my.results', prefix: 'a/b=c/' }],
  ])('%s is read', (uri, place) => {
    expect(parseBucketLocation(uri)).toEqual(place);
  });

  test.each([
    '',
    'results',
    'http://results',
    's3:/results',
    's3://',
    's3://R',
    's3://results/a//b',
    's3://results/../x',
    's3://results/a b',
  ])('%j is refused', (uri) => {
    const refused = (): unknown => parseBucketLocation(uri);
    expect(refused).toThrow(expect.toSatisfy((error) => isQuireError(error, 'INVALID_PARAMETER')));
  });
});
