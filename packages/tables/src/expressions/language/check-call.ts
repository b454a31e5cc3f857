import { isQuireError } from '@quire/core';
import type { Expression } from './expression.ts';
import { type FunctionDefinition, signatureOf } from '../functions/function-definition.ts';
import {
  absentFunctions,
  findFunction,
  findSignatures,
  nearestFunction,
} from '../functions/function-table.ts';

/** What is wrong with a call. */
export interface CallFault {
  readonly code: string;
  readonly message: string;
}

/**
 * A call's documented name, or the one given where there is no such function, and what is wrong
 * with it.
 */
export interface CheckedCall {
  readonly name: string;
  readonly faults: readonly CallFault[];
}

/**
 * Checks that a function exists and takes these arguments: as many, and the literals among them as
 * they are.
 */
export function checkCall(name: string, args: readonly Expression[]): CheckedCall {
  const lower = name.toLowerCase();
  if (lower === 'groovy') {
    return {
      name,
      faults: [{ code: 'EXPRESSION_GROOVY', message: 'Groovy scripts are not run here' }],
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
    const message = `argument ${unwritten + 1} of ${definition.names[0]} must be written as it is: no column, no call`;
    return { name: definition.names[0], faults: [{ code: 'EXPRESSION_NOT_LITERAL', message }] };
  }
  return {
    name: definition.names[0],
    faults: args.flatMap((arg, index) => checkLiteral(definition, arg, index) ?? []),
  };
}

/** The index of the argument from which functions take only literals. */
const literalsFrom: ReadonlyMap<string, number> = new Map([
  ['arrayValueConstructor', 0],
  ['jsonExtractKey', 1],
]);

/** A literal that its function cannot take is wrong for every row. */
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
