import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { integer, long } from '../parameters.ts';
import { toInteger } from '../values/integer.ts';

function binary(name: string, does: string, combine: (left: bigint, right: bigint) => bigint): FunctionDefinition {
  return scalar({
    name,
    takes: [long, long],
    returns: 'integer',
    does,
    evaluate: (left, right) => toInteger(BigInt.asIntN(64, combine(BigInt(left), BigInt(right)))),
  });
}

function shift(name: string, does: string, move: (value: bigint, count: bigint) => bigint): FunctionDefinition {
  return scalar({
    name,
    takes: [long, integer],
    returns: 'integer',
    does,
    evaluate: (value, count) => toInteger(BigInt.asIntN(64, move(BigInt(value), BigInt(count & 63)))),
  });
}

/** Bits of 64-bit integers, the highest of which is the sign. */
export const bitFunctions: readonly FunctionDefinition[] = [
  binary('bitAnd', 'The bits that both have.', (left, right) => left & right),
  binary('bitOr', 'The bits that one of them has.', (left, right) => left | right),
  binary('bitXor', 'The bits that only one of them has.', (left, right) => left ^ right),
  scalar({
    name: 'bitNot',
    takes: [long],
    returns: 'integer',
    does: 'All bits turned over.',
    evaluate: (value) => toInteger(~BigInt(value)),
  }),
  shift('bitShiftLeft', 'Bits moved up, by the count modulo 64.', (value, count) => value << count),
  shift('bitShiftRight', 'Bits moved down with the sign, by the count modulo 64.', (value, count) => value >> count),
];
