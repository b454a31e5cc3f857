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

const neighbour = (name: string): AggregateRule => ({
  arity: [1, 3],
  translate: (values, call) => {
    const value = at(values, 0);
    const [, distance, otherwise] = values;
    const given = [
      value.sql,
      ...(distance === undefined ? [] : [toLong(distance)]),
      ...(otherwise === undefined ? [] : [convert(otherwise, value.type).sql]),
    ];
    return typed(value.type, `${name}(${given.join(', ')})${over(call)}`);
  },
});

const edge = (name: string): AggregateRule => ({
  arity: [1, 1],
  translate: (
    values,
    call: Parameters<AggregateRule['translate']>[1] & { readonly isIgnoringNulls?: boolean },
  ) => {
    const value: Typed = at(values, 0);
    const nulls = call.isIgnoringNulls === true ? ' IGNORE NULLS' : '';
    return typed(value.type, `${name}(${value.sql}${nulls})${over(call)}`);
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
