import { QuireError } from '@quire/core';

/** A pattern of DuckDB's messages, and the message that a caller receives instead. */
type Wording = readonly [pattern: RegExp, words: string];

const numberTypes = String.raw`(?:DECIMAL\(\d+,\s*\d+\)|DOUBLE|FLOAT|U?INT\d+|BIGINT|HUGEINT|INTEGER)`;
const time = 'the calendar of the embedded engine, which ends in the year 294247';

const wordings: readonly Wording[] = [
  [
    new RegExp(String.raw`^Could not convert string (["'].*?["']) to ${numberTypes}`, 's'),
    'The text $1 is used as a number, but is not a number.',
  ],
  [
    /^Failed to cast value to numerical: (".*?")/s,
    'The text $1 is used as a number, but is not a number.',
  ],
  [/^Failed to cast decimal value (\S+) to type INT64/, 'The value $1 is out of range for LONG.'],
  [/^Could not convert string (["'].*?["']) to BOOL/s, 'The text $1 is neither true nor false.'],
  [
    /^(?:invalid timestamp field format|timestamp field value out of range|invalid date field format|date field value out of range): (["'].*?["'])/s,
    'The text $1 is used as a timestamp; expected for example 2024-02-29 12:34:56.',
  ],
  [/^Date out of range: (\S+)/, `The date $1 is beyond ${time}.`],
  [
    /^Could not convert (?:Timestamp|Date)\(?|^Timestamp .*out of range/,
    `A time is beyond ${time}.`,
  ],
  [
    /value (-?inf|nan) can't be cast/,
    'The value $1 of a calculation cannot be converted to a whole number.',
  ],
  [
    /value (\S+) can't be cast because the value is out of range for the destination type U?INT32/,
    'The value $1 is out of range for INT.',
  ],
  [
    /value (\S+) can't be cast because the value is out of range/,
    'The value $1 is out of range for LONG.',
  ],
  [/^Overflow in/, 'The value of a calculation is out of range for LONG.'],
  [
    /^Malformed JSON at byte (\d+) of input: (.*?)\.\s+Input: (.*)$/s,
    'The text $3 is used as JSON, but is not JSON: $2 at byte $1.',
  ],
  [
    /^((?:missing (?:closing )?[)\]]|unexpected \)|trailing \\|(?:invalid|bad|no argument for|missing argument to) [^:"]*(?:escape|class|operator|group|repetition|range|UTF-8)[^:"]*|pattern too large[^:]*): .*)$/s,
    'A regular expression is not valid: $1',
  ],
  [/^trailing \\/, 'A regular expression is not valid: it ends with \\.'],
  [
    /^Cannot create a string of size: '(\d+)'/,
    'A text of $1 bytes exceeds the maximum length of texts.',
  ],
  [/^Like pattern must not end/, 'The pattern of LIKE ends with its escape character.'],
  [
    /^Could not parse string (["'].*?["']) according to format/s,
    'The text $1 does not match the date-time format in the query.',
  ],
  [/^Unknown TimeZone '(.*?)'/, "The time zone '$1' is not known."],
  [/^Could not decode string (["'].*?["']) as base64/s, 'The text $1 is not Base64.'],
  [
    /^Invalid input for hex digit: (.*)$/s,
    'A text with ‘$1’ is used as bytes, but is not pairs of hexadecimal digits.',
  ],
  [/^Invalid UTF8 Codepoint (\S+)/, 'CHR has no character for $1.'],
  [
    /^Max expression depth limit of (\d+) exceeded/,
    'The query has an expression that is nested more than $1 levels deep.',
  ],
  [/^More than one row returned by a subquery/, 'A scalar subquery returns more than one row.'],
  [/^(failed to allocate [^\n]*)/, 'The query needs more memory than the engine has: $1'],
  [
    /VALUES lists must all be the same length/,
    'The rows of VALUES have different numbers of columns.',
  ],
  [
    /^No function matches/,
    'A function or operator of the query does not support the types of its values.',
  ],
];

/** Names that only DuckDB or the translation uses: messages that contain them are replaced. */
const internals =
  /quire_|\bDECIMAL\(|\bU?(?:INT\d+|HUGEINT)\b|\bTRY_CAST\b|\bVARCHAR\b|\bmacro\b|\b(?:strptime|strftime|epoch_ms|make_timestamp|list_\w+|json_\w+|regexp_\w+)\b/;

/**
 * Returns the failure of a translated query as a message for its caller. Positions, candidates and
 * hints are left out, because they refer to the translation.
 */
export function rewordForPinot(error: QuireError): QuireError {
  const { code, message } = error;
  const said = /^[A-Z][A-Za-z ]* Error: (.*?)(?:\n\nLINE \d+: .*)?$/s.exec(message)?.[1];
  if (said === undefined) return error;
  for (const [pattern, words] of wordings) {
    const match = pattern.exec(said);
    if (match === null) continue;
    const sentence = words.replaceAll(/\$(\d)/g, (_, group: string) => match[Number(group)] ?? '');
    // DuckDB reports some values of the query, such as a LIKE pattern, as syntax errors.
    return new QuireError(code === 'QUERY_SYNTAX' ? 'QUERY_INVALID' : code, sentence, {
      cause: error,
    });
  }
  if (code === 'QUERY_SYNTAX') {
    return new QuireError(
      'INTERNAL',
      'The query could not be translated for the embedded engine.',
      { cause: error },
    );
  }
  const [sentence = ''] = said.split(/\n|(?:Did you mean|The nearest are|Candidate )/);
  const isPlain = !internals.test(sentence);
  const plain = isPlain
    ? sentence.trim()
    : 'A function or operator of the query does not accept one of its values.';
  return new QuireError(code, plain, { cause: error });
}
