import { QuireError } from '@quire/core';
import { type ByteCursor, notJson } from './byte-cursor.ts';
import { parse } from './parse-json.ts';
import { type PinotColumn, parseDataSchema } from './pinot-column.ts';
import { ValueScanner } from './value-scanner.ts';

/**
 * A part of an answer, in the order in which they come: columns, then rows, then what the query
 * took.
 */
export type AnswerPart =
  | { readonly kind: 'columns'; readonly columns: readonly PinotColumn[] }
  /**
   * Whole rows, `[…],[…]`, in `bytes` from `start` to `end`; they stand until the next part is
   * asked for.
   */
  | { readonly kind: 'rows'; readonly bytes: Buffer; readonly start: number; readonly end: number }
  | { readonly kind: 'member'; readonly name: string; readonly text: string };

/** The largest value that is taken: a row, or a member beside the rows. */
const valueBytesMax = 256 * 1024 * 1024;
const [quote, comma, openBracket, closeBracket, closeBrace] = [0x22, 0x2c, 0x5b, 0x5d, 0x7d];

/**
 * Takes the JSON answer to a query apart as it comes, in memory that depends on its largest row and
 * not on their number.
 *
 * @throws UNEXPECTED_RESPONSE when it is not such an answer, or ends in the middle
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

/** The members of an object, each by `read`, which leaves the cursor behind the member's value. */
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
  // `more` moves what is unread to the front.
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

/** Yields as many whole rows at a time as have been received. */
async function* readRows(cursor: ByteCursor): AsyncGenerator<AnswerPart> {
  await cursor.expect('[');
  let scanner = new ValueScanner();
  let isFirst = true;
  let scanned = 0;
  for (;;) {
    if (scanned === 0) {
      const next = await cursor.peek();
      if (next === closeBracket) break;
      if (!isFirst && next !== comma) throw notJson("',' or ']'", next);
      if (!isFirst) cursor.at += 1;
      if ((await cursor.peek()) !== openBracket) throw notJson('a row', await cursor.peek());
    }
    const start = cursor.at;
    let end = -1;
    let position = start + scanned;
    for (;;) {
      const behind = scanner.scan(cursor.bytes, position);
      if (behind < 0) break;
      scanner = new ValueScanner();
      [end, position] = [behind, behind + 1];
      // A row that comes with a comma and an opening bracket right before it goes on the run.
      if (cursor.bytes[behind] !== comma || cursor.bytes[position] !== openBracket) break;
    }
    if (end >= 0) {
      yield { kind: 'rows', bytes: cursor.bytes, start, end };
      cursor.at = end;
      [isFirst, scanned] = [false, 0];
      scanner = new ValueScanner();
      continue;
    }
    scanned = cursor.bytes.length - start;
    if (scanned > valueBytesMax) throw tooLarge();
    if (!(await cursor.more())) throw notJson('the rest of the rows', -1);
  }
  cursor.at += 1;
}

function tooLarge(): QuireError {
  return new QuireError(
    'QUERY_LIMIT_EXCEEDED',
    `A row of the answer is larger than ${valueBytesMax} bytes.`,
  );
}
