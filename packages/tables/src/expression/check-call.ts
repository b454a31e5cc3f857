import { isQuireError } from '@quire/core';
import type { Expression } from './expression.ts';
import type { FunctionDefinition } from './function-definition.ts';
import { findFunction, nearestFunction } from './function-table.ts';

/** What is wrong with a call. */
export interface CallFault {
  readonly code: string;
  readonly message: string;
}

/** A call's documented name, or the one given where there is no such function, and what is wrong with it. */
export interface CheckedCall {
  readonly name: string;
  readonly faults: readonly CallFault[];
}

/** Checks that a function exists and takes these arguments: as many, and the literals among them as they are. */
export function checkCall(name: string, args: readonly Expression[]): CheckedCall {
  if (name.toLowerCase() === 'groovy') {
    return { name, faults: [{ code: 'EXPRESSION_GROOVY', message: 'Groovy scripts are not run here' }] };
  }
  const definition = findFunction(name);
  if (definition === undefined) {
    const message = `there is no function ${name.slice(0, 64)}; the nearest is ${nearestFunction(name)}`;
    return { name, faults: [{ code: 'EXPRESSION_UNKNOWN_FUNCTION', message }] };
  }
  const { argCountMin, argCountMax } = definition;
  if (args.length < argCountMin || args.length > argCountMax) {
    const message = `${definition.name} takes ${countPhrase(argCountMin, argCountMax)}, not ${args.length}: ${definition.name}(${definition.shows})`;
    return { name: definition.name, faults: [{ code: 'EXPRESSION_ARITY', message }] };
  }
  return { name: definition.name, faults: args.flatMap((arg, index) => checkLiteral(definition, arg, index) ?? []) };
}

/** How an argument is called in messages. */
export function argumentPlace(definition: FunctionDefinition, index: number): string {
  return `argument ${index + 1} of ${definition.name}`;
}

/** A literal that its function cannot take, such as a pattern with a letter that means nothing, is wrong for every row. */
function checkLiteral(definition: FunctionDefinition, arg: Expression, index: number): CallFault | undefined {
  if (arg.kind !== 'literal' || arg.value === null) return undefined;
  try {
    definition.parameterAt(index)?.read(arg.value, argumentPlace(definition, index));
    return undefined;
  } catch (error) {
    if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
    return { code: 'EXPRESSION_ARGUMENT', message: error.message.replace(/\.$/, '') };
  }
}

function countPhrase(min: number, max: number): string {
  const noun = max === 1 ? 'argument' : 'arguments';
  if (min === max) return `${min === 0 ? 'no' : min} ${noun}`;
  return Number.isFinite(max) ? `${min} to ${max} ${noun}` : `${min} or more arguments`;
}
