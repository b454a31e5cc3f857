import { isQuireError } from '@quire/core';
import type { Expression } from './expression.ts';
import { type FunctionDefinition, signatureOf } from '../functions/function-definition.ts';
import {
  absentFunctions,
  findFunction,
  findSignatures,
  nearestFunction,
} from '../functions/function-table.ts';

/** A fault of a call. */
export interface CallFault {
  readonly code: string;
  readonly message: string;
}

/**
 * The documented name of a call's function, or the given name if there is no such function, and the
 * faults of the call.
 */
export interface CheckedCall {
  readonly name: string;
  readonly faults: readonly CallFault[];
}

/**
 * Checks that a function exists and accepts the number of arguments, and the values of literals
 * among them.
 */
export function checkCall(name: string, args: readonly Expression[]): CheckedCall {
  const lower = name.toLowerCase();
  if (lower === 'groovy') {
    return {
      name,
      faults: [{ code: 'EXPRESSION_GROOVY', message: 'Groovy scripts are not supported' }],
    };
  }
  if (lower === 'and' || lower === 'or' || (lower === 'not' && args.length === 1)) {
    return { name: lower, faults: [] };
  }
  const signatures = findSignatures(name);
  const [first] = signatures;
  if (first === undefined) {
    const reason = absentFunctions.get(lower.replaceAll('_', ''));
    const message =
      reason === undefined
        ? `there is no function ${name.slice(0, 64)}; the nearest is ${nearestFunction(name)}`
        : `${name} ${reason}`;
    return { name, faults: [{ code: 'EXPRESSION_UNKNOWN_FUNCTION', message }] };
  }
  const definition = findFunction(name, args.length);
  if (definition === undefined) {
    const message = `${first.names[0]} takes ${countPhrase(signatures)}, not ${args.length}: ${signatures.map(signatureOf).join(' or ')}`;
    return { name: first.names[0], faults: [{ code: 'EXPRESSION_ARITY', message }] };
  }
  const firstLiteral = literalsFrom.get(definition.names[0]);
  const unwritten = args.findIndex(
    (arg, index) => arg.kind !== 'literal' && index >= (firstLiteral ?? args.length),
  );
  if (unwritten >= 0) {
    const message = `argument ${unwritten + 1} of ${definition.names[0]} must be a literal, not a column or a call`;
    return { name: definition.names[0], faults: [{ code: 'EXPRESSION_NOT_LITERAL', message }] };
  }
  return {
    name: definition.names[0],
    faults: args.flatMap((arg, index) => checkLiteral(definition, arg, index) ?? []),
  };
}

/** The functions that take only literals, by the index of the first such argument. */
const literalsFrom: ReadonlyMap<string, number> = new Map([
  ['arrayValueConstructor', 0],
  ['jsonExtractKey', 1],
]);

/** Checks a literal: if its function cannot accept it, the call fails for every row. */
function checkLiteral(
  definition: FunctionDefinition,
  arg: Expression,
  index: number,
): CallFault | undefined {
  if (arg.kind !== 'literal' || arg.value === null) return undefined;
  try {
    definition.takes[index]?.read(arg.value);
    return undefined;
  } catch (error) {
    if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
    return {
      code: 'EXPRESSION_ARGUMENT',
      message: `argument ${index + 1} of ${definition.names[0]}: ${error.message.replace(/\.$/, '')}`,
    };
  }
}

function countPhrase(signatures: readonly FunctionDefinition[]): string {
  const counts = signatures.map(({ takes }) => takes.length).toSorted((a, b) => a - b);
  const last = counts.at(-1) ?? 0;
  const shown =
    counts.length === 1
      ? last === 0
        ? 'no'
        : String(last)
      : `${counts.slice(0, -1).join(', ')} or ${last}`;
  return `${shown} ${last === 1 ? 'argument' : 'arguments'}`;
}
