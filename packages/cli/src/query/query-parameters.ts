import { InvalidArgumentError } from '@commander-js/extra-typings';
import { parameterTypes, parseQueryParameters } from '@quire/api';
import type { ParameterValue, ParameterValues } from '@quire/client';
import { isQuireError } from '@quire/core';

/** The parameters of the command line so far, by name or number. */
export type NamedParameters = ReadonlyMap<string, ParameterValue>;

/**
 * Adds one `--param`, `name=value` or `name:TYPE=value`. Without a type, the value is parsed as
 * JSON, and is text otherwise.
 */
export function addParameter(text: string, before: NamedParameters = new Map()): NamedParameters {
  const [, name, type, value] =
    /^\$?([A-Za-z_][A-Za-z0-9_]*|[1-9][0-9]{0,4})(?::([A-Z_]+))?=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('Expected name=value, or name:TYPE=value.');
  }
  if (before.has(name)) {
    throw new InvalidArgumentError(`The parameter ${name} is given more than once.`);
  }
  return new Map([
    ...before,
    [name, type === undefined ? untyped(name, value) : typed(name, type, value)],
  ]);
}

/** Returns a list if the names are numbers. */
export function parametersOf(named: NamedParameters): ParameterValues {
  const list = Array.from({ length: named.size }, (_, index) => named.get(String(index + 1)));
  return list.every((value) => value !== undefined) ? list : Object.fromEntries(named);
}

/** The maximum number of digits of an integer that is sent with all of them. */
const digitsMax = 38;

function untyped(name: string, text: string): ParameterValue {
  // JSON has no leading zeros: 02134 is a postal code.
  if (/^-?0\d/.test(text)) return text;
  if (/^-?\d+$/.test(text)) {
    const number = Number(text);
    if (Number.isSafeInteger(number)) return number;
    const integer = BigInt(text);
    const digitCount = String(integer).replace('-', '').length;
    if (digitCount <= digitsMax) return integer;
    throw new InvalidArgumentError(
      `The parameter ${name} is an integer of ${digitCount} digits; expected at most ${digitsMax}, or ${name}:DOUBLE=… or ${name}:STRING=….`,
    );
  }
  return numberOf(name, text) ?? wordOf(text);
}

function numberOf(name: string, text: string): number | undefined {
  if (!/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new InvalidArgumentError(
    `The parameter ${name} is beyond the range of a DOUBLE; expected a smaller number, or ${name}:STRING=…, or ${name}:DOUBLE=Infinity.`,
  );
}

function wordOf(text: string): ParameterValue {
  if (text === 'null') return null;
  return text === 'true' || (text === 'false' ? false : text);
}

function typed(name: string, type: string, text: string): ParameterValue {
  if (!(parameterTypes as readonly string[]).includes(type)) {
    throw new InvalidArgumentError(
      `The type ${type} does not exist; expected one of ${parameterTypes.join(', ')}.`,
    );
  }
  const isText = ['STRING', 'LONG', 'BIG_DECIMAL', 'DATE', 'TIMESTAMP', 'BYTES'].includes(type);
  const value = isText ? text : (numberOf(name, text) ?? wordOf(text));
  try {
    const [parameter] = Object.values(parseQueryParameters({ [name]: { type, value } }));
    return parameter as ParameterValue;
  } catch (error) {
    if (isQuireError(error)) throw new InvalidArgumentError(error.message);
    throw error;
  }
}
