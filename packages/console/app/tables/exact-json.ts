import { type JsonValue, parseLosslessJson } from '@quire/core/portable';

/**
 * JSON with all digits of its integers: those of a row or a config may be longer than numbers are
 * exact.
 */
export function exactJson(value: JsonValue): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${(value as JsonValue[]).map(exactJson).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${exactJson(member)}`).join(',')}}`;
}

/**
 * Parses a schema or config without losing digits of its integers.
 *
 * @throws Error with a sentence when it is not JSON
 */
export function parseDocument(text: string, what: string): Readonly<Record<string, JsonValue>> {
  try {
    return parseLosslessJson(text) as Readonly<Record<string, JsonValue>>;
  } catch (error) {
    throw new Error(`The ${what} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
