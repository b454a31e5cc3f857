import { describe, expect, it } from 'vitest';
import { parseQueryOptions } from '../src/index.ts';

describe('parseQueryOptions', () => {
  it('ignores the options that drivers of other systems send', () => {
    expect(parseQueryOptions('groupByMode=sql;responseFormat=sql;useMultistageEngine=true')).toEqual({});
  });

  it('reads a time limit, wherever it stands', () => {
    expect(parseQueryOptions(' a=b ; timeoutMs = 20000 ;')).toEqual({ timeoutMs: 20000 });
  });

  it('takes the last of two', () => {
    expect(parseQueryOptions('timeoutMs=1;timeoutMs=2')).toEqual({ timeoutMs: 2 });
  });

  it.each(['', ';', ' ; '])('takes %j as no options', (text) => {
    expect(parseQueryOptions(text)).toEqual({});
  });

  it.each(['timeoutMs', '=1', 'a=b=c'])('refuses %j, which is not a pair', (text) => {
    expect(() => parseQueryOptions(text)).toThrow(`queryOptions has '${text}'; expected key=value pairs joined by ';'.`);
  });

  it.each(['0', '-1', '1.5', 'soon', '', '9007199254740993'])('refuses %j as a time limit', (text) => {
    expect(() => parseQueryOptions(`timeoutMs=${text}`)).toThrow(
      `timeoutMs in queryOptions is '${text}'; expected an integer ≥ 1, in milliseconds.`,
    );
  });
});
