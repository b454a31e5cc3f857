/** The maximum length of a message, and of a quoted part of one, in characters. */
const lengthMax = 1000;
const quotedLengthMax = 120;

/**
 * Shortens a message so that it repeats no more than a line of the query, however long the quoted
 * names and texts are.
 */
export function shortenMessage(message: string): string {
  const quotedShort = message.replaceAll(/'[^']*'|"[^"]*"/g, (quoted) => {
    const [firstLine = ''] = quoted.split('\n', 1);
    const isWhole = firstLine.length === quoted.length && quoted.length <= quotedLengthMax;
    return isWhole ? quoted : `${firstLine.slice(0, quotedLengthMax)}…${quoted.slice(-1)}`;
  });
  return quotedShort.length <= lengthMax ? quotedShort : `${quotedShort.slice(0, lengthMax)}…`;
}
