import { describe, expect, it } from 'vitest';
import { chooseForm, formTagOf } from '../src/choose-format.ts';
import { chooseEncoding } from '../src/send-rows.ts';
import { matchesEntityTag } from '../src/routes/read-page.ts';

describe('matchesEntityTag', () => {
  it.each(['"a"', 'W/"a"', '*', '"b", "a"', '"b",W/"a"', ' "a" '])(
    'matchesEntityTag finds "a" in %s',
    (header) => {
      expect(matchesEntityTag(header, '"a"')).toBe(true);
    },
  );

  it.each([undefined, '', '"b"', 'a', '"a', '"A"', '"ab", "b"'])(
    'matchesEntityTag does not find "a" in %s',
    (header) => {
      expect(matchesEntityTag(header, '"a"')).toBe(false);
    },
  );
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
  ])('chooseEncoding takes %s as %s', (header, encoding) => {
    expect(chooseEncoding({ 'accept-encoding': header }, 1_000_000)).toBe(encoding);
  });

  it('chooseEncoding leaves small bodies as they are', () => {
    expect(chooseEncoding({ 'accept-encoding': 'zstd' }, 2047)).toBe('identity');
    expect(chooseEncoding({ 'accept-encoding': 'zstd' }, 2048)).toBe('zstd');
  });
});

describe('chooseForm', () => {
  it.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['application/*', 'json'],
    ['text/*', 'csv'],
    ['application/vnd.apache.arrow.stream', 'arrow'],
    ['application/x-ndjson, application/json;q=0.9', 'ndjson'],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'json'],
    ['application/json;charset=UTF-8', 'json'],
  ])('chooseForm takes Accept %s as %s', (accept, format) => {
    expect(chooseForm({}, { accept })).toEqual({ format, codecs: [] });
  });

  it.each(['text/html', 'application/json;q=0', 'nonsense'])(
    'chooseForm refuses Accept %s',
    (accept) => {
      expect(() => chooseForm({}, { accept })).toThrow(
        'Accept allows none of the formats for rows; expected application/json, ',
      );
    },
  );

  it('chooseForm lets the parameter go first', () => {
    expect(chooseForm({ format: 'csv' }, { accept: 'text/html' })).toEqual({
      format: 'csv',
      codecs: [],
    });
  });

  const arrow = 'application/vnd.apache.arrow.stream';

  it.each([
    [`${arrow}; compression=zstd`, ['zstd']],
    [`${arrow};Compression="LZ4"`, ['lz4']],
    [`${arrow}; compression=lz4, ${arrow};compression=zstd;q=0.5`, ['zstd', 'lz4']],
    [`${arrow};q=0.9;compression="lz4,zstd", application/json;q=0.1`, ['zstd', 'lz4']],
    [`${arrow}, ${arrow};compression=zstd;q=0`, []],
    [`${arrow}; compression=snappy, ${arrow};q=0.1`, []],
  ])('chooseForm takes Accept %s as Arrow with the codecs %j', (accept, codecs) => {
    expect(chooseForm({}, { accept })).toEqual({ format: 'arrow', codecs });
  });

  it('chooseForm sees no codec in what Accept says of another format', () => {
    expect(chooseForm({}, { accept: `${arrow};compression=zstd;q=0.1, text/csv` })).toEqual({
      format: 'csv',
      codecs: [],
    });
    expect(chooseForm({ format: 'csv' }, { accept: `${arrow};compression=zstd` })).toEqual({
      format: 'csv',
      codecs: [],
    });
  });

  it('chooseForm refuses a codec that Arrow does not have, and says which ones it has', () => {
    expect(() => chooseForm({}, { accept: `${arrow}; compression=snappy` })).toThrow(
      'Arrow may have compression=zstd or compression=lz4.',
    );
  });

  it.each([
    ['zstd', 'zstd'],
    ['lz4', 'lz4'],
    ['lz4,zstd', 'zstd+lz4'],
    ['none', 'plain'],
  ])('chooseForm takes the parameter compression=%s before Accept', (compression, named) => {
    const form = chooseForm(
      { format: 'arrow', compression },
      { accept: `${arrow};compression=zstd` },
    );
    expect(formTagOf(form)).toBe(`arrow-${named}`);
  });

  it.each(['', 'gzip', 'ZSTD', 'zstd,', 'zstd,zstd', 'none,zstd', 'zstd lz4'])(
    'chooseForm refuses the parameter compression=%s',
    (value) => {
      expect(() => chooseForm({ format: 'arrow', compression: value }, {})).toThrow(
        `compression is '${value}'; expected zstd, lz4, both as zstd,lz4, or none.`,
      );
    },
  );

  it('chooseForm refuses compression beside another format', () => {
    expect(() => chooseForm({ compression: 'zstd' }, {})).toThrow(
      'compression is zstd with the format json; use it with format=arrow',
    );
    expect(chooseForm({ format: 'csv', compression: 'none' }, {})).toEqual({
      format: 'csv',
      codecs: [],
    });
  });
});
