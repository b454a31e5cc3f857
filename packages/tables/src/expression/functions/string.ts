import { expressionFailed } from '../expression-error.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { anything, integer, oneOf, text } from '../parameters.ts';
import { paddedText, repeatedText, replacedText, trimmedText } from '../values/long-text.ts';

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;

/** One text made of another. Lengths and places count UTF-16 code units, as Java does. */
export const stringFunctions: readonly FunctionDefinition[] = [
  scalar({ name: 'upper', takes: [text], returns: 'text', does: 'In upper case.', evaluate: (given) => given.toUpperCase() }),
  scalar({ name: 'lower', takes: [text], returns: 'text', does: 'In lower case.', evaluate: (given) => given.toLowerCase() }),
  scalar({
    name: 'initCap',
    takes: [text],
    returns: 'text',
    does: 'The first letter of every word in upper case, the others in lower case.',
    evaluate: (given) => given.toLowerCase().replaceAll(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase()),
  }),
  scalar({
    name: 'trim',
    takes: [text],
    optionally: [text, text],
    returns: 'text',
    does: "Without space at both ends; or, as `trim('LEADING', '0', code)`, without some characters at one end or `BOTH`.",
    evaluate: (given, characters, value) => (value === undefined ? given.trim() : trimmedText(given, characters ?? ' ', value)),
  }),
  scalar({
    name: 'ltrim',
    takes: [text],
    returns: 'text',
    does: 'Without space at the start.',
    evaluate: (given) => given.trimStart(),
  }),
  scalar({
    name: 'rtrim',
    takes: [text],
    returns: 'text',
    does: 'Without space at the end.',
    evaluate: (given) => given.trimEnd(),
  }),
  scalar({
    name: 'concat',
    takes: [text, text],
    optionally: [text],
    returns: 'text',
    does: 'Two texts, one behind the other; a third argument stands between them. The operator `||` is this.',
    evaluate: (left, right, separator = '') => left + separator + right,
  }),
  scalar({
    name: 'concatWs',
    takes: [text],
    rest: text,
    returns: 'text',
    does: 'Any number of texts with the first argument between them.',
    evaluate: (separator, ...texts) => texts.join(separator),
  }),
  scalar({
    name: 'replace',
    takes: [text, text, text],
    returns: 'text',
    does: 'With every occurrence of the second text replaced by the third.',
    evaluate: replacedText,
  }),
  scalar({
    name: 'remove',
    takes: [text, text],
    returns: 'text',
    does: 'Without any occurrence of the second text.',
    evaluate: (given, find) => (find === '' ? given : given.replaceAll(find, '')),
  }),
  scalar({
    name: 'reverse',
    takes: [text],
    returns: 'text',
    does: 'From the end to the start.',
    evaluate: (given) => Array.from(given).toReversed().join(''),
  }),
  scalar({
    name: 'repeat',
    takes: [text, anything],
    optionally: [integer],
    returns: 'text',
    does: "So many times; or with a separator, as `repeat('ab', '-', 3)`.",
    evaluate(given, second, count) {
      if (count !== undefined) return repeatedText(given, count, text.read(second, 'argument 2 of repeat'));
      return repeatedText(given, integer.read(second, 'argument 2 of repeat'), '');
    },
  }),
  scalar({
    name: 'lpad',
    aliases: ['leftPad'],
    takes: [text, integer],
    optionally: [text],
    returns: 'text',
    does: 'Filled up at the start to a length, with spaces or the third argument.',
    evaluate: (given, length, filler = ' ') => paddedText(given, length, filler, 'start'),
  }),
  scalar({
    name: 'rpad',
    aliases: ['rightPad'],
    takes: [text, integer],
    optionally: [text],
    returns: 'text',
    does: 'Filled up at the end to a length, with spaces or the third argument.',
    evaluate: (given, length, filler = ' ') => paddedText(given, length, filler, 'end'),
  }),
  scalar({
    name: 'normalize',
    takes: [text],
    optionally: [oneOf('form', forms)],
    returns: 'text',
    does: 'In a normal form of Unicode, NFC unless another is given.',
    evaluate: (given, form = 'NFC') => given.normalize(form),
  }),
  scalar({
    name: 'chr',
    takes: [integer],
    returns: 'text',
    does: 'The character of a code point.',
    evaluate(code) {
      if (code < 0 || code > 0x10_ff_ff) throw expressionFailed(`${code} is no code point of Unicode.`);
      return String.fromCodePoint(code);
    },
  }),
];
