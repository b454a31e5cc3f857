import { describe, expect, it } from 'vitest';
import { chooseFormat } from '../src/choose-format.ts';
import { chooseEncoding } from '../src/send-rows.ts';
import { matchesEntityTag } from '../src/routes/read-page.ts';

describe('matchesEntityTag', () => {
  it.each(['"a"', 'W/"a"', '*', '"b", "a"', '"b",W/"a"', ' "a" '])('finds "a" in %s', (header) => {
    expect(matchesEntityTag(header, '"a"')).toBe(true);
  });

  it.each([undefined, '', '"b"', 'a', '"a', '"A"', '"ab", "b"'])('does not find "a" in %s', (header) => {
    expect(matchesEntityTag(header, '"a"')).toBe(false);
  });
});

describe('chooseEncoding', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, br', 'br'],
    ['gzip;q=0.9, br;q=0.8', 'gzip'],
    ['identity, gzip;q=0.5', 'identity'],
    ['*;q=0', 'identity'],
    ['compress, x-unknown', 'identity'],
    ['gzip;q=nonsense', 'identity'],
  ])('takes %s as %s', (header, encoding) => {
    expect(chooseEncoding({ 'accept-encoding': header }, 1_000_000)).toBe(encoding);
  });

  it('leaves small bodies as they are', () => {
    expect(chooseEncoding({ 'accept-encoding': 'zstd' }, 2047)).toBe('identity');
    expect(chooseEncoding({ 'accept-encoding': 'zstd' }, 2048)).toBe('zstd');
  });
});

describe('chooseFormat', () => {
  it.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['application/*', 'json'],
    ['text/*', 'csv'],
    ['application/vnd.apache.arrow.stream', 'arrow'],
    ['application/x-ndjson, application/json;q=0.9', 'ndjson'],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'json'],
    ['application/json;charset=UTF-8', 'json'],
  ])('takes Accept %s as %s', (accept, format) => {
    expect(chooseFormat(undefined, { accept })).toBe(format);
  });

  it.each(['text/html', 'application/json;q=0', 'nonsense'])('refuses Accept %s', (accept) => {
    expect(() => chooseFormat(undefined, { accept })).toThrow(
      'Accept allows none of the formats of rows; expected application/json, ',
    );
  });

  it('lets the parameter go first', () => {
    expect(chooseFormat('csv', { accept: 'text/html' })).toBe('csv');
  });
});
