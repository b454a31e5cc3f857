import { sqlPiece } from '@quire/core';

/**
 * The source of a pattern that matches what is not looked into without a parser: texts, quoted
 * names, words and comments.
 */
export const skippedSql = [
  sqlPiece,
  String.raw`--[^\n\r]*`,
  String.raw`\/\*[\s\S]*?(?:\*\/|$)`,
].join('|');
