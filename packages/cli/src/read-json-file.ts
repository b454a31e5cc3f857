import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type JsonValue, parseLosslessJson, QuireError } from '@quire/core';
import { decodeText } from './decode-text.ts';
import type { Environment } from './environment.ts';

/**
 * Reads a JSON file that the user names, with all digits of its integers. @throws
 * INVALID_PARAMETER, INVALID_BODY
 */
export async function readJsonFile(
  path: string,
  { directory }: Pick<Environment, 'directory'>,
): Promise<JsonValue> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(resolve(directory, path));
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new QuireError('INVALID_PARAMETER', `${path} cannot be read: ${reason}.`, { cause });
  }
  const text = decodeText(bytes, path);
  try {
    return parseLosslessJson(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof RangeError)) throw cause;
    throw new QuireError('INVALID_BODY', `${path} is not JSON: ${cause.message}.`, { cause });
  }
}

/** Reads a JSON file that must contain an object. @throws INVALID_PARAMETER, INVALID_BODY */
export async function readJsonObject(
  path: string,
  environment: Pick<Environment, 'directory'>,
): Promise<{ readonly [name: string]: JsonValue }> {
  const value = await readJsonFile(path, environment);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as { readonly [name: string]: JsonValue };
  }
  throw new QuireError(
    'INVALID_BODY',
    `${path} contains ${Array.isArray(value) ? 'an array' : String(value)}; expected an object.`,
  );
}
