import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { QuireError } from '@quire/core';
import { type PreviewResponse, writeAnyJson } from '@quire/tables';

/**
 * Saves config and schema of a preview as JSON files of a directory, and gives their names. Files that are there stay, unless
 * forced; then neither is written.
 *
 * @throws INVALID_PARAMETER when a file is there, or cannot be written
 */
export async function writeProposal(preview: PreviewResponse, directory: string, isForced: boolean): Promise<readonly string[]> {
  const { tableConfig, schema, tableConfigs } = preview;
  const stem = tableConfigs.tableName.replaceAll(/[^\w.-]+/g, '_').replace(/^\.+/, '') || 'table';
  const documents = [
    [`${stem}.schema.json`, schema],
    [`${stem}.table.json`, tableConfig],
  ] as const;
  const written: string[] = [];
  for (const [name, document] of documents) {
    if (document === null) continue;
    const text = `${JSON.stringify(JSON.parse(writeAnyJson(document)), null, 2)}\n`;
    try {
      await writeFile(resolve(directory, name), text, { flag: isForced ? 'w' : 'wx' });
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
      const message =
        code === 'EEXIST' ? `${name} is there already; --force replaces it.` : `${name} cannot be written: ${code}.`;
      throw new QuireError('INVALID_PARAMETER', message, { cause });
    }
    written.push(name);
  }
  return written;
}
