import { isQuireError } from '@quire/core';
import { describe, expect, test } from 'vitest';
import { parseBucketLocation } from '../src/bucket/bucket-location.ts';

describe('a place in a bucket', () => {
  test.each([
    ['s3', 's3://results', { bucket: 'results', prefix: '' }],
    ['s3', 's3://results/', { bucket: 'results', prefix: '' }],
    ['gs', 'gs://results/team-1', { bucket: 'results', prefix: 'team-1/' }],
    ['gs', 'gs://my.results/a/b=c//', { bucket: 'my.results', prefix: 'a/b=c/' }],
  ] as const)('a place in a bucket of %s: %s is read', (scheme, uri, place) => {
    expect(parseBucketLocation(uri, scheme)).toEqual(place);
  });

  test.each([
    '',
    'results',
    'http://results',
    'gs://results',
    's3:/results',
    's3://',
    's3://R',
    's3://results/a//b',
    's3://results/../x',
    's3://results/a b',
  ])('a place in a bucket of s3: %j is refused', (uri) => {
    const refused = (): unknown => parseBucketLocation(uri, 's3');
    expect(refused).toThrow(expect.toSatisfy((error) => isQuireError(error, 'INVALID_PARAMETER')));
  });
});
