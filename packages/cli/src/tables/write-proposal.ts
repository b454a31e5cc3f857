import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { QuireError, type Random } from '@quire/core';
import { isErrno, replaceFile } from '@quire/core/process';
import type { PreviewResponse } from '@quire/tables';

/**
 * Saves the config and schema of a preview as JSON files in a directory, and returns their names.
 * Existing files are kept unless forced; then neither is written. No file is written in part.
 *
 * @throws INVALID_PARAMETER when a file exists, or cannot be written
 */
export async function writeProposal(
  preview: PreviewResponse,
  directory: string,
  { isForced, random }: { readonly isForced: boolean; readonly random: Random },
): Promise<readonly string[]> {
  const { tableConfig, schema, tableConfigs } = preview;
  const stem = tableConfigs.tableName.replaceAll(/[^\w.-]+/g, '_').replace(/^\.+/, '') || 'table';
  const documents = [
    [`${stem}.schema.json`, schema],
    [`${stem}.table.json`, tableConfig],
  ] as const;
  const paths = documents.map(([name]) => ({ name, path: resolve(directory, name) }));
  const existing = isForced ? undefined : paths.find(({ path }) => existsSync(path));
  if (existing !== undefined) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `${existing.name} exists already; --force replaces it.`,
    );
  }
  const written: string[] = [];
  for (const [name, document] of documents) {
    if (document === null) continue;
    const text = `${JSON.stringify(document, allDigits, 2)}\n`;
    const path = resolve(directory, name);
    try {
      if (isForced) await replaceFile(path, text, random);
      else await createWhole(path, text);
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
      throw new QuireError('INVALID_PARAMETER', `${name} cannot be written: ${code}.`, { cause });
    }
    written.push(name);
  }
  return written;
}

/** Creates a file; one that was created in the meantime is kept. */
async function createWhole(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) await rm(path, { force: true });
    throw error;
  }
}

/**
 * TypeScript's library does not know this function yet:
 * https://tc39.es/proposal-json-parse-with-source.
 */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

function allDigits(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJSON(String(value)) : value;
}
