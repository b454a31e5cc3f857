import type { PageFormatName, Result, ResultPage } from '@quire/results';

/** A whole page as text. */
export async function pageText(
  result: Result,
  offset: number,
  rowCount: number,
  format: PageFormatName = 'json',
): Promise<string> {
  return textOf(result.page({ offset, rowCount }), format);
}

/** Returns a planned page as text; an empty text if there is no page. */
export async function textOf(
  page: ResultPage | undefined,
  format: PageFormatName = 'json',
): Promise<string> {
  const chunks: Uint8Array[] = [];
  if (page !== undefined) for await (const chunk of page.encode(format)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
