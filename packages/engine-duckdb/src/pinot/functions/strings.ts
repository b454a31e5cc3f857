import { quoteLiteral } from '../../conversion/column-plan.ts';
import { anyOf, toBytes, toInt, toLong, toText } from '../convert.ts';
import { invalid, isArray, nullValue, once, type Typed, typed } from '../typed.ts';
import {
  at,
  type CallInfo,
  constantAt,
  type FunctionRule,
  type FunctionTable,
  rule,
} from './function-rule.ts';

const text = (values: readonly Typed[], index: number): string => toText(at(values, index));

/** Defines a function that DuckDB has under this name, with texts as arguments. */
const same = (
  name: string,
  arity: number,
  type: 'STRING' | 'BOOLEAN' | 'INT' = 'STRING',
): FunctionRule =>
  rule(arity, type, (values) => {
    const call = `${name}(${values.map(toText).join(', ')})`;
    return type === 'INT' ? `CAST(${call} AS INTEGER)` : call;
  });

/** Returns the pieces between separators, without empty ones. */
function pieces(value: string, separator: string): string {
  return `list_filter(string_split(${value}, ${separator}), lambda piece: piece <> '')`;
}

/**
 * Converts a position counted from 0 to one counted from 1; negative ones count from the end and
 * are unchanged.
 */
function oneBased(value: Typed): string {
  if (value.constant !== undefined && /^-?\d+$/.test(value.constant)) {
    const number = Number(value.constant);
    return number < 0 ? `(${number})` : String(number + 1);
  }
  return `(${toLong(value)} + 1)`;
}

/** Returns the text from a position, counted from 0, up to but not including another. */
const substr = rule([2, 3], 'STRING', (values) => {
  const [value, begin] = [text(values, 0), at(values, 1)];
  const end = values[2];
  if (end === undefined || end.constant === '-1') return `substr(${value}, ${oneBased(begin)})`;
  return `substr(${value}, ${oneBased(begin)}, greatest(${toLong(end)} - ${toLong(begin)}, 0))`;
});

/** Returns the position of the n-th occurrence, counted from 0; -1 if there is none. */
const strpos = rule([2, 3], 'INT', (values, call) => {
  const [value, found] = [text(values, 0), text(values, 1)];
  if (values.length === 2) return `CAST(strpos(${value}, ${found}) - 1 AS INTEGER)`;
  const instance = constantAt(values, 2, call, 'the number of the occurrence');
  return once(value, (v) => {
    const before = `string_split(${v}, ${found})[:${Number(instance)}]`;
    return `CASE WHEN len(string_split(${v}, ${found})) > ${Number(instance)} THEN CAST(length(array_to_string(${before}, ${found})) AS INTEGER) ELSE -1 END`;
  });
});

const strrpos = rule(2, 'INT', (values) =>
  once(text(values, 0), (v) => {
    const found = text(values, 1);
    return `CASE WHEN contains(${v}, ${found}) THEN CAST(length(${v}) - strpos(reverse(${v}), reverse(${found})) - length(${found}) + 1 AS INTEGER) WHEN ${v} IS NULL THEN NULL ELSE -1 END`;
  }),
);

const concat = rule([2, 3], 'STRING', (values) => {
  const [left, right] = [text(values, 0), text(values, 1)];
  return values.length === 2
    ? `(${left} || ${right})`
    : `(${left} || ${text(values, 2)} || ${right})`;
});

const splitPart = rule([3, 4], 'STRING', (values, call) => {
  if (values.length === 4) {
    throw invalid(`${call.name} takes three arguments: text, separator, index.`);
  }
  const found = `${pieces(text(values, 0), text(values, 1))}[${oneBased(at(values, 2))}]`;
  // Out of range, the result is the text ‘null’.
  return `CASE WHEN ${text(values, 0)} IS NULL THEN NULL ELSE coalesce(${found}, 'null') END`;
});

const split = rule([2, 3], 'STRING_ARRAY', (values, call) => {
  if (values.length === 2) return pieces(text(values, 0), text(values, 1));
  const limit = Number(constantAt(values, 2, call, 'the largest number of pieces'));
  if (limit <= 0) return pieces(text(values, 0), text(values, 1));
  const separator = text(values, 1);
  const all = `string_split(${text(values, 0)}, ${separator})`;
  return `list_filter(list_concat(${all}[:${limit - 1}], [array_to_string(${all}[${limit}:], ${separator})]), lambda piece: piece <> '')`;
});

/** Converts a replacement: `$1` in Java is `\1` in DuckDB, and `\$` is a dollar sign. */
function replacement(value: Typed, call: CallInfo): string {
  if (value.constant === undefined) {
    throw invalid(`Argument 3 of ${call.name} must be a constant: the replacement of matches.`);
  }
  const converted = value.constant.replaceAll(
    /\\([\s\S])|\$(\d)|\\/g,
    (_, literal: string | undefined, group: string | undefined) =>
      group === undefined ? (literal ?? '\\').replace('\\', '\\\\') : `\\${group}`,
  );
  return quoteLiteral(converted);
}

const regexpReplace = rule([3, 6], 'STRING', (values, call) => {
  const options = values
    .slice(3)
    .map((_, index) => constantAt(values, index + 3, call, 'an option'));
  const [start = '0', occurrence = '-1', flag = ''] = options;
  if (Number(start) !== 0 || !['-1', '0'].includes(occurrence)) {
    throw invalid(
      `In the embedded engine, ${call.name} replaces all matches from the start: leave out its arguments 4 and 5, or write 0 and -1.`,
    );
  }
  const isFirst = occurrence === '0';
  const flags = `${isFirst ? '' : 'g'}${flag.toLowerCase().includes('i') ? 'i' : ''}`;
  return `regexp_replace(${text(values, 0)}, ${text(values, 1)}, ${replacement(at(values, 2), call)}, '${flags}')`;
});

const regexpExtract = rule([2, 4], 'STRING', (values, call) => {
  const group =
    values.length > 2 ? Number(constantAt(values, 2, call, 'the number of a group')) : 0;
  const [value, pattern] = [text(values, 0), text(values, 1)];
  if (values.length < 4) return `regexp_extract(${value}, ${pattern}, ${group})`;
  return once(
    value,
    (v) =>
      `CASE WHEN regexp_matches(${v}, ${pattern}) THEN regexp_extract(${v}, ${pattern}, ${group}) ELSE ${text(values, 3)} END`,
  );
});

const regexpLike = rule([2, 3], 'BOOLEAN', (values, call) => {
  const flags = values.length > 2 ? constantAt(values, 2, call, 'i to ignore case') : '';
  const option = flags.toLowerCase().includes('i') ? ", 'i'" : '';
  const value = at(values, 0);
  const matches = (one: Typed): string =>
    `regexp_matches(${toText(one)}, ${text(values, 1)}${option})`;
  return isArray(value.type) ? anyOf(value, matches) : matches(value);
});

/** The white space of Java's regular expressions, which LTRIM and RTRIM remove; TRIM does not. */
const whiteSpace = String.raw`E' \t\n\x0b\f\r'`;

/** Defines a function that removes white space. */
const trimmed = (name: 'ltrim' | 'rtrim'): FunctionRule =>
  rule(1, 'STRING', (values) => `${name}(${text(values, 0)}, ${whiteSpace})`);

const trim = rule([1, 3], 'STRING', (values, call) => {
  // Spaces only, as TRIM(BOTH ' ' FROM text).
  if (values.length === 1) return `trim(${text(values, 0)})`;
  if (values.length !== 3) {
    throw invalid(`${call.name} takes one argument, or TRIM(BOTH 'x' FROM text).`);
  }
  const side = { BOTH: 'trim', LEADING: 'ltrim', TRAILING: 'rtrim' }[
    at(values, 0).constant?.toUpperCase() ?? ''
  ];
  return `${side ?? 'trim'}(${text(values, 2)}, ${text(values, 1)})`;
});

/** Defines a digest, returned as hexadecimal digits. */
const digest = (name: string): FunctionRule =>
  rule(1, 'STRING', (values) => `${name}(${toBytes(at(values, 0))})`);

/** Defines a function that pads a text. A longer text is unchanged, whereas DuckDB truncates it. */
const pad = (name: 'lpad' | 'rpad'): FunctionRule =>
  rule(3, 'STRING', (values) =>
    once(text(values, 0), (v) => {
      const width = toInt(at(values, 1));
      return `CASE WHEN length(${v}) >= ${width} THEN ${v} ELSE ${name}(${v}, ${width}, ${text(values, 2)}) END`;
    }),
  );

/** One byte for each of 127 characters, as a text of SQL. */
const singleBytes = `array_to_string(list_transform(range(1, 128), lambda n: chr(CAST(n AS INTEGER))), '')`;

/** DuckDB counts bytes, so characters become single bytes, unless there are too many. */
const levenshtein = rule(2, 'INT', (values) => {
  const [left, right] = [text(values, 0), text(values, 1)];
  const all = `array_to_string(list_sort(list_distinct(string_split(${left} || ${right}, ''))), '')`;
  return once(all, (characters) => {
    const bytesOf = (value: string): string =>
      `translate(${value}, ${characters}, left(${singleBytes}, length(${characters})))`;
    return `CAST(CASE WHEN length(${characters}) < 128 THEN levenshtein(${bytesOf(left)}, ${bytesOf(right)}) ELSE levenshtein(${left}, ${right}) END AS INTEGER)`;
  });
});

const normalize = rule([1, 2], 'STRING', (values, call) => {
  const form = values.length === 1 ? 'NFC' : constantAt(values, 1, call, 'a form of Unicode');
  if (form !== 'NFC') {
    throw invalid(
      `${call.name} supports only NFC in the embedded engine, not ${form.slice(0, 20)}.`,
    );
  }
  return `nfc_normalize(${text(values, 0)})`;
});

const side = (name: 'left' | 'right'): FunctionRule =>
  rule(2, 'STRING', (values) => `${name}(${text(values, 0)}, ${toLong(at(values, 1))})`);

/** Functions of texts and bytes. */
export const stringFunctions: FunctionTable = {
  // Java's upper case of ß has two letters.
  UPPER: rule(1, 'STRING', (values) => `upper(replace(${text(values, 0)}, 'ß', 'SS'))`),
  LOWER: same('lower', 1),
  REVERSE: same('reverse', 1),
  LENGTH: same('length', 1, 'INT'),
  CHARLENGTH: same('length', 1, 'INT'),
  STARTSWITH: same('starts_with', 2, 'BOOLEAN'),
  ENDSWITH: same('suffix', 2, 'BOOLEAN'),
  CONTAINS: same('contains', 2, 'BOOLEAN'),
  REPLACE: same('replace', 3),
  SUBSTR: substr,
  SUBSTRING: rule([2, 3], 'STRING', (values) => {
    const count = values[2] === undefined ? '' : `, ${toLong(values[2])}`;
    return `substring(${text(values, 0)}, ${toLong(at(values, 1))}${count})`;
  }),
  STRPOS: strpos,
  STRRPOS: strrpos,
  CONCAT: concat,
  // One null makes the result null, while DuckDB's function ignores nulls.
  CONCATWS: rule([2, 20], 'STRING', ([separator = nullValue, ...values]) => {
    const joined = values.map(toText).join(` || ${toText(separator)} || `);
    return `(${joined})`;
  }),
  SPLIT: split,
  SPLITPART: splitPart,
  REGEXPLIKE: regexpLike,
  REGEXPREPLACE: regexpReplace,
  REGEXPEXTRACT: regexpExtract,
  TRIM: trim,
  LTRIM: trimmed('ltrim'),
  RTRIM: trimmed('rtrim'),
  LPAD: pad('lpad'),
  RPAD: pad('rpad'),
  LEFT: side('left'),
  RIGHT: side('right'),
  LEFTSUBSTR: side('left'),
  RIGHTSUBSTR: side('right'),
  REPEAT: rule([2, 3], 'STRING', (values) => {
    const times = toLong(at(values, values.length - 1));
    if (values.length === 2) return `repeat(${text(values, 0)}, ${times})`;
    return `array_to_string(list_transform(range(${times}), lambda n: ${text(values, 0)}), ${text(values, 1)})`;
  }),
  REMOVE: rule(2, 'STRING', (values) => `replace(${text(values, 0)}, ${text(values, 1)}, '')`),
  CODEPOINT: rule(1, 'INT', (values) => `unicode(${text(values, 0)})`),
  CHR: rule(1, 'STRING', (values) => `chr(${toInt(at(values, 0))})`),
  // The difference of the first characters that differ, or otherwise of the lengths.
  STRCMP: rule(2, 'INT', (values) =>
    once(text(values, 0), (a) =>
      once(text(values, 1), (b) => {
        const places = `range(1, least(length(${a}), length(${b})) + 1)`;
        const differences = `list_transform(${places}, lambda n: unicode(${a}[n]) - unicode(${b}[n]))`;
        return `CAST(coalesce(list_filter(${differences}, lambda n: n <> 0)[1], length(${a}) - length(${b})) AS INTEGER)`;
      }),
    ),
  ),
  // The distance is -1 for texts of different lengths.
  HAMMINGDISTANCE: rule(2, 'INT', (values) => {
    const [left, right] = [text(values, 0), text(values, 1)];
    return `CASE WHEN length(${left}) <> length(${right}) THEN -1 ELSE CAST(len(list_filter(range(1, length(${left}) + 1), lambda n: ${left}[n] <> ${right}[n])) AS INTEGER) END`;
  }),
  NORMALIZE: normalize,
  LEVENSHTEINDISTANCE: levenshtein,
  ENCODEURL: rule(
    1,
    'STRING',
    (values) =>
      `replace(replace(replace(url_encode(${text(values, 0)}), '%20', '+'), '%2A', '*'), '~', '%7E')`,
  ),
  DECODEURL: rule(1, 'STRING', (values) => `url_decode(replace(${text(values, 0)}, '+', '%20'))`),
  MD5: digest('md5'),
  SHA: digest('sha1'),
  SHA256: digest('sha256'),
  TOBASE64: rule(1, 'STRING', (values) => `to_base64(${toBytes(at(values, 0))})`),
  FROMBASE64: rule(1, 'BYTES', (values) => `from_base64(${text(values, 0)})`),
  TOUTF8: rule(1, 'BYTES', (values) => `encode(${text(values, 0)})`),
  FROMUTF8: rule(1, 'STRING', (values) => `decode(${toBytes(at(values, 0))})`),
  BYTESTOHEX: rule(1, 'STRING', (values) => `lower(hex(${toBytes(at(values, 0))}))`),
  HEXTOBYTES: {
    arity: [1, 1],
    translate: (values) => typed('BYTES', toBytes({ ...at(values, 0) })),
  },
};
