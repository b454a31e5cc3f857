import type { PageFormat, Result } from '@quire/results';

/** A whole page as text. */
export async function pageText(result: Result, offset: number, rowCount: number, format: PageFormat = 'json'): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of result.page({ offset, rowCount }).encode(format)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
