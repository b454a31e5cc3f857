import { convert, toLong } from '../convert.ts';
import { type Typed, typed } from '../typed.ts';
import type { AggregateRule } from './aggregates.ts';
import { at } from './function-rule.ts';

const over = ({ over: window = '()' }: { readonly over: string | undefined }): string =>
  ` OVER ${window}`;

const numbering = (name: string, type: 'LONG' | 'DOUBLE' = 'LONG'): AggregateRule => ({
  arity: [0, 0],
  translate: (_, call) => typed(type, `${name}()${over(call)}`),
});

/** A call that may have `IGNORE NULLS`. */
type WindowCall = Parameters<AggregateRule['translate']>[1] & {
  readonly isIgnoringNulls?: boolean;
};

const nullsOf = ({ isIgnoringNulls }: WindowCall): string =>
  isIgnoringNulls === true ? ' IGNORE NULLS' : '';

const neighbour = (name: string): AggregateRule => ({
  arity: [1, 3],
  translate: (values, call: WindowCall) => {
    const value = at(values, 0);
    const [, distance, otherwise] = values;
    const given = [
      value.sql,
      ...(distance === undefined ? [] : [toLong(distance)]),
      ...(otherwise === undefined ? [] : [convert(otherwise, value.type).sql]),
    ];
    return typed(value.type, `${name}(${given.join(', ')}${nullsOf(call)})${over(call)}`);
  },
});

const edge = (name: string): AggregateRule => ({
  arity: [1, 1],
  translate: (values, call: WindowCall) => {
    const value: Typed = at(values, 0);
    return typed(value.type, `${name}(${value.sql}${nullsOf(call)})${over(call)}`);
  },
});

/** Functions that require a window. */
export const windowFunctions: Readonly<Record<string, AggregateRule>> = {
  ROWNUMBER: numbering('row_number'),
  RANK: numbering('rank'),
  DENSERANK: numbering('dense_rank'),
  PERCENTRANK: numbering('percent_rank', 'DOUBLE'),
  CUMEDIST: numbering('cume_dist', 'DOUBLE'),
  NTILE: {
    arity: [1, 1],
    translate: (values, call) => typed('LONG', `ntile(${toLong(at(values, 0))})${over(call)}`),
  },
  LAG: neighbour('lag'),
  LEAD: neighbour('lead'),
  FIRSTVALUE: edge('first_value'),
  LASTVALUE: edge('last_value'),
};
