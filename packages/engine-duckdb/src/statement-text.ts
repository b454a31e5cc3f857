import { sqlPiece } from '@quire/core';

/** Matches spaces, a comment of one line, or the start of another comment. */
const blank = /\s+|--[^\n\r]*|(\/\*)/y;
const commentEdge = /\/\*|\*\//g;
/** Matches a text, a quoted name, a word, or one other character. */
const token = new RegExp(String.raw`${sqlPiece}|[\s\S]`, 'y');

/**
 * Returns the one statement of a text without semicolons, so that it can follow other SQL, or be
 * put in brackets that close on a line of their own: comments at its end remain. Its positions are
 * those in the text.
 */
export function bodyOf(sql: string): string {
  let start = 0;
  let isEmpty = true;
  for (
    let position = blankEndOf(sql);
    position < sql.length;
    position = blankEndOf(sql, position)
  ) {
    token.lastIndex = position;
    const [found = ''] = token.exec(sql) ?? [];
    if (found !== ';') isEmpty = false;
    else if (isEmpty) start = position + 1;
    else return bodyBetween(sql, start, position);
    position += found.length;
  }
  return bodyBetween(sql, start, sql.length);
}

/** Returns the text up to an end, with spaces instead of the semicolons before its start. */
function bodyBetween(sql: string, start: number, end: number): string {
  return sql.slice(0, start).replaceAll(';', ' ') + sql.slice(start, end);
}

/**
 * Returns the end of the spaces and comments at a position. One pattern for all of them would take
 * a time that is exponential in their number.
 */
export function blankEndOf(sql: string, start = 0): number {
  for (let position = start; ;) {
    blank.lastIndex = position;
    const [found, comment] = blank.exec(sql) ?? [];
    if (found === undefined) return position;
    position = comment === undefined ? blank.lastIndex : commentEndOf(sql, position);
  }
}

/** Returns the end of the comment at a position; comments contain others, as in DuckDB. */
function commentEndOf(sql: string, start: number): number {
  let depth = 0;
  commentEdge.lastIndex = start;
  do {
    const [edge] = commentEdge.exec(sql) ?? [];
    if (edge === undefined) return sql.length;
    depth += edge === '/*' ? 1 : -1;
  } while (depth > 0);
  return commentEdge.lastIndex;
}
