import { link, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type JsonValue, parseLosslessJson, type Random, writeLosslessJson } from '@quire/core';

/** Whether a call to the file system failed for one of these reasons. */
export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** A JSON document, with all digits of its integers; undefined when there is none. */
export async function readDocument(path: string): Promise<JsonValue | undefined> {
  try {
    return parseLosslessJson(await readFile(path, 'utf8'));
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** How names of files begin that are being written. */
const stagedPrefix = '.staged-';

/** Replaces whatever is there by a document, in one moment and durably: a crash leaves the one or the other. */
export async function replaceDocument(path: string, value: object, random: Random): Promise<void> {
  const staged = await stage(path, value, random);
  await rename(staged, path);
  await syncDirectory(dirname(path));
}

/** Creates a document, whole and durably. Resolves to false, and changes nothing, when there is one. */
export async function createDocument(path: string, value: object, random: Random): Promise<boolean> {
  const staged = await stage(path, value, random);
  try {
    await link(staged, path);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlink(staged);
  }
  await syncDirectory(dirname(path));
  return true;
}

/** Removes a document, durably. Resolves to false when there is none. */
export async function removeDocument(path: string): Promise<boolean> {
  try {
    await unlink(path);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
  await syncDirectory(dirname(path));
  return true;
}

/** Makes what happened to the names in a directory durable. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function stage(path: string, value: object, random: Random): Promise<string> {
  const staged = `${dirname(path)}/${stagedPrefix}${Buffer.from(random.bytes(8)).toString('hex')}`;
  const file = await open(staged, 'wx');
  try {
    await file.writeFile(writeLosslessJson(value));
    await file.sync();
  } finally {
    await file.close();
  }
  return staged;
}
