import { describe, expect, it } from 'vitest';
import { addParameter, type NamedParameters, parametersOf } from '../src/query/query-parameters.ts';

const parse = (...texts: readonly string[]) => {
  let named: NamedParameters = new Map();
  for (const text of texts) named = addParameter(text, named);
  return parametersOf(named);
};

describe('--param', () => {
  it('--param gives a value that JSON knows its type, and takes the rest as text', () => {
    expect(
      parse(
        'a=5',
        'b=9223372036854775807',
        'c=-0.5',
        'd=true',
        'e=false',
        'f=null',
        '$g=JFK',
        'h=',
        'i=a=b',
      ),
    ).toEqual({
      a: 5,
      b: 9_223_372_036_854_775_807n,
      c: -0.5,
      d: true,
      e: false,
      f: null,
      g: 'JFK',
      h: '',
      i: 'a=b',
    });
  });

  it('--param keeps all digits of integers, also those that a DOUBLE happens to hold', () => {
    expect(
      parse(
        'a=9007199254740991',
        'b=9007199254740992',
        'c=-1152921504606846976',
        `d=${'9'.repeat(38)}`,
      ),
    ).toEqual({
      a: 9_007_199_254_740_991,
      b: 9_007_199_254_740_992n,
      c: -1_152_921_504_606_846_976n,
      d: 10n ** 38n - 1n,
    });
    expect(parse('x:DOUBLE=10000000000000000', 'y:DOUBLE=0.5')).toEqual({
      x: { type: 'DOUBLE', value: 1e16 },
      y: { type: 'DOUBLE', value: 0.5 },
    });
  });

  it('--param takes what JSON does not accept as a number as text', () => {
    expect(
      parse('a=02134', 'b=-01', 'c=00.50', 'd=1.', 'e=.5', 'f=+1', 'g=0', 'h=-0', 'i=0.50'),
    ).toEqual({
      a: '02134',
      b: '-01',
      c: '00.50',
      d: '1.',
      e: '.5',
      f: '+1',
      g: 0,
      h: -0,
      i: 0.5,
    });
    expect(parse('n:INT=007')).toEqual({ n: { type: 'INT', value: 7 } });
  });

  it('--param takes the type that is said', () => {
    expect(parse('zip:STRING=00501', 'day:DATE=2024-02-29', 'n:LONG=1')).toEqual({
      zip: { type: 'STRING', value: '00501' },
      day: { type: 'DATE', value: '2024-02-29' },
      n: { type: 'LONG', value: '1' },
    });
  });

  it('--param makes a list of numbers instead of names', () => {
    expect(parse('2=b', '1=a')).toEqual(['a', 'b']);
  });

  it.each([
    ['x', 'Expected name=value, or name:TYPE=value.'],
    ['0=x', 'Expected name=value, or name:TYPE=value.'],
    [
      `x=${'9'.repeat(400)}`,
      'The parameter x is an integer of 400 digits; expected at most 38, or x:DOUBLE=… or x:STRING=….',
    ],
    [
      'x=1e400',
      'The parameter x is beyond the range of a DOUBLE; expected a smaller number, or x:STRING=…, or x:DOUBLE=Infinity.',
    ],
    ['x:DOUBLE=-1e400', 'The parameter x is beyond the range of a DOUBLE; expected'],
    ['x:WORD=a', 'The type WORD does not exist; expected one of NULL, BOOLEAN, INT, LONG, DOUBLE,'],
    [
      'x:DATE=today',
      `Parameter x of type DATE is "today"; expected a day of the years 1 to 9999, such as '2024-02-29'.`,
    ],
  ])('--param refuses %j', (text, message) => {
    expect(() => addParameter(text)).toThrow(message);
  });

  it('--param refuses a second value', () => {
    expect(() => parse('x=1', 'x=2')).toThrow('The parameter x is given more than once.');
  });
});
