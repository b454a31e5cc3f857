import { describe, expect, it } from 'vitest';
import { parseQueryOptions } from '../src/index.ts';

describe('parseQueryOptions', () => {
  it('parseQueryOptions leaves the options that it does not know to the engine', () => {
    const others = { groupByMode: 'sql', responseFormat: 'sql', useMultistageEngine: 'true' };
    expect(
      parseQueryOptions('groupByMode=sql;responseFormat=sql;useMultistageEngine=true'),
    ).toEqual({ others });
  });

  it('parseQueryOptions reads a time limit, wherever it stands', () => {
    expect(parseQueryOptions(' a=b ; timeoutMs = 20000 ;')).toEqual({
      timeoutMs: 20000,
      others: { a: 'b' },
    });
  });

  it('parseQueryOptions takes the last of two', () => {
    expect(parseQueryOptions('timeoutMs=1;timeoutMs=2')).toEqual({ timeoutMs: 2, others: {} });
  });

  it.each(['', ';', ' ; '])('parseQueryOptions takes %j as no options', (text) => {
    expect(parseQueryOptions(text)).toEqual({ others: {} });
  });

  it.each(['timeoutMs', '=1', 'a=b=c'])(
    'parseQueryOptions refuses %j, which is not a pair',
    (text) => {
      expect(() => parseQueryOptions(text)).toThrow(
        `queryOptions has '${text}'; expected key=value pairs separated by ';'.`,
      );
    },
  );

  it.each(['0', '-1', '1.5', 'soon', '', '9007199254740993'])(
    'parseQueryOptions refuses %j as a time limit',
    (text) => {
      expect(() => parseQueryOptions(`timeoutMs=${text}`)).toThrow(
        `timeoutMs in queryOptions is '${text}'; expected an integer ≥ 1, in milliseconds.`,
      );
    },
  );
});
