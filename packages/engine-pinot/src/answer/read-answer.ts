import { QuireError } from '@quire/core';
import { type ByteCursor, notJson } from './byte-cursor.ts';
import { parse } from './parse-json.ts';
import { type PinotColumn, parseDataSchema } from './pinot-column.ts';
import { ValueScanner } from './value-scanner.ts';

/** A part of an answer, in this order: columns, then rows, then the statistics of the query. */
export type AnswerPart =
  | { readonly kind: 'columns'; readonly columns: readonly PinotColumn[] }
  | RowsPart
  | { readonly kind: 'member'; readonly name: string; readonly text: string };

/**
 * Rows, `[…],[…]`, in `bytes` from `start` to `end`; the last one may be incomplete. The consumer
 * sets the end of the complete rows before it requests the next part; until then the bytes are
 * valid.
 */
export interface RowsPart {
  readonly kind: 'rows';
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** The number of bytes that the consumer has read as complete rows. */
  taken: number;
}

/** The largest accepted value: a row, or a member besides the rows. */
const valueBytesMax = 256 * 1024 * 1024;
const [quote, comma, openBracket, closeBracket, closeBrace] = [0x22, 0x2c, 0x5b, 0x5d, 0x7d];

/**
 * Parses the JSON answer to a query as it arrives, in memory that depends on its largest row and
 * not on the number of rows.
 *
 * @throws UNEXPECTED_RESPONSE when it is not such an answer, or is incomplete
 */
export async function* readAnswer(cursor: ByteCursor): AsyncGenerator<AnswerPart> {
  yield* readMembers(cursor, async function* (name) {
    if (name !== 'resultTable' || (await cursor.peek()) !== 0x7b) {
      yield { kind: 'member', name, text: await readValue(cursor) };
      return;
    }
    yield* readMembers(cursor, async function* (inner) {
      if (inner === 'rows') yield* readRows(cursor);
      else if (inner === 'dataSchema') {
        yield { kind: 'columns', columns: parseDataSchema(await readValue(cursor)) };
      } else await readValue(cursor);
    });
  });
}

/**
 * Reads the members of an object, each with `read`, which moves the cursor past the member's value.
 */
async function* readMembers(
  cursor: ByteCursor,
  read: (name: string) => AsyncGenerator<AnswerPart>,
): AsyncGenerator<AnswerPart> {
  await cursor.expect('{');
  if ((await cursor.peek()) === closeBrace) {
    cursor.at += 1;
    return;
  }
  for (;;) {
    if ((await cursor.peek()) !== quote) throw notJson("'\"'", await cursor.peek());
    const name = parse(await readValue(cursor)) as string;
    await cursor.expect(':');
    yield* read(name);
    const next = await cursor.peek();
    if (next !== comma && next !== closeBrace) throw notJson("',' or '}'", next);
    cursor.at += 1;
    if (next === closeBrace) return;
  }
}

async function readValue(cursor: ByteCursor): Promise<string> {
  await cursor.peek();
  const scanner = new ValueScanner();
  // `more` moves the unread bytes to the front.
  let scanned = 0;
  for (;;) {
    const end = scanner.scan(cursor.bytes, cursor.at + scanned);
    if (end >= 0) {
      const text = cursor.bytes.toString('utf8', cursor.at, end);
      cursor.at = end;
      return text;
    }
    scanned = cursor.bytes.length - cursor.at;
    if (scanned > valueBytesMax) throw tooLarge();
    if (!(await cursor.more())) throw notJson('the rest of a value', -1);
  }
}

/** Yields the received rows until all are consumed. */
async function* readRows(cursor: ByteCursor): AsyncGenerator<AnswerPart> {
  await cursor.expect('[');
  for (let isFirst = true; ; isFirst = false) {
    const next = await cursor.peek();
    if (next === closeBracket) break;
    if (!isFirst && next !== comma) throw notJson("',' or ']'", next);
    if (!isFirst) cursor.at += 1;
    if ((await cursor.peek()) !== openBracket) throw notJson('a row', await cursor.peek());
    yield* readRun(cursor);
  }
  cursor.at += 1;
}

/** Yields the received bytes from the start of a row, until at least that row is consumed. */
async function* readRun(cursor: ByteCursor): AsyncGenerator<AnswerPart> {
  // A long row is not parsed again before its received part has doubled.
  for (let wanted = 1; ;) {
    const { bytes, at: start } = cursor;
    const size = bytes.length - start;
    if (size > valueBytesMax) throw tooLarge();
    const hasMore = size >= wanted || (await cursor.more());
    if (hasMore && size < wanted) continue;
    const part: RowsPart = { kind: 'rows', bytes, start, end: bytes.length, taken: 0 };
    yield part;
    cursor.at = start + part.taken;
    if (part.taken > 0) return;
    if (!hasMore) throw notJson('the rest of the rows', -1);
    wanted = size * 2;
  }
}

function tooLarge(): QuireError {
  return new QuireError(
    'QUERY_LIMIT_EXCEEDED',
    `A row of the answer is larger than ${valueBytesMax} bytes.`,
  );
}
