import { type Data, DataType, Field, makeData, Schema } from 'apache-arrow';
import { encodeText } from '../src/encode/text-rows.ts';
import type { PageBatch } from '../src/plain-batches.ts';

/** Creates a column of fixed-width values from bytes, with nulls where `isNull` returns true. */
export function columnOf(
  type: DataType,
  length: number,
  values: ArrayBufferView,
  isNull?: (row: number) => boolean,
): Data {
  return makeData({ type, length, data: values, ...nullsOf(length, isNull) } as Parameters<
    typeof makeData
  >[0]);
}

/** Creates a column of texts, given as characters that represent one byte each. */
export function textColumnOf(
  type: DataType,
  texts: readonly string[],
  isNull?: (row: number) => boolean,
): Data {
  const offsets = Int32Array.from({ length: texts.length + 1 });
  for (const [row, text] of texts.entries()) offsets[row + 1] = (offsets[row] ?? 0) + text.length;
  const valueOffsets = DataType.isLargeUtf8(type) ? BigInt64Array.from(offsets, BigInt) : offsets;
  const data = Buffer.from(texts.join(''), 'latin1');
  return makeData({
    type,
    length: texts.length,
    data,
    valueOffsets,
    ...nullsOf(texts.length, isNull),
  } as unknown as Parameters<typeof makeData>[0]);
}

/** Creates a column of lists, of a fixed size if there are no offsets. */
export function listColumnOf(
  type: DataType,
  length: number,
  child: Data,
  valueOffsets: Int32Array | undefined,
  isNull: (row: number) => boolean,
): Data {
  return makeData({
    type,
    length,
    child,
    valueOffsets,
    ...nullsOf(length, isNull),
  } as unknown as Parameters<typeof makeData>[0]);
}

function nullsOf(
  length: number,
  isNull: (row: number) => boolean = () => false,
): { nullCount: number; nullBitmap: Uint8Array | undefined } {
  const nullBitmap = new Uint8Array((length >> 3) + 1);
  let nullCount = 0;
  for (let row = 0; row < length; row += 1) {
    if (isNull(row)) nullCount += 1;
    else nullBitmap[row >> 3] = (nullBitmap[row >> 3] ?? 0) | (1 << (row & 7));
  }
  return { nullCount, nullBitmap: nullCount === 0 ? undefined : nullBitmap };
}

/**
 * Returns the JSON cells of the rows of one column, with texts as characters that represent one
 * byte each.
 */
export async function jsonCellsOf(column: Data, start = 0): Promise<string[]> {
  const schema = new Schema([new Field('c', column.type, true)]);
  const text = await textOf(
    encodeText('ndjson', { schema, batches: pageOf([column], start), pool: undefined }),
  );
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.slice('{"c":'.length, -1));
}

/** Returns the CSV lines of the rows of one column, whose values must not contain line breaks. */
export async function csvCellsOf(column: Data): Promise<string[]> {
  const schema = new Schema([new Field('c', column.type, true)]);
  return (await textOf(encodeText('csv', { schema, batches: pageOf([column]), pool: undefined })))
    .split('\n')
    .slice(1, -1);
}

/** Returns the parsed JSON of rows of several columns. */
export async function jsonRowsOf(columns: readonly Data[]): Promise<unknown> {
  const schema = new Schema(columns.map(({ type }, index) => new Field(`c${index}`, type, true)));
  return JSON.parse(
    await textOf(encodeText('json', { schema, batches: pageOf(columns), pool: undefined })),
  ) as unknown;
}

/** Yields a page of all rows of one batch, starting at `start`. */
async function* pageOf(columns: readonly Data[], start = 0): AsyncGenerator<PageBatch> {
  const rowCount = columns[0]?.length ?? 0;
  yield { batch: { rowCount, columns }, rows: { start, end: rowCount } };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(chunks)).toString('latin1');
}
