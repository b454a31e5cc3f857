import { expressionFailed } from '../expression-error.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { bytes, bytesOrText, text } from '../parameters.ts';
import { bytesOfHex, hexOf } from '../values/bytes.ts';

const base64Pattern = /^[A-Za-z\d+/_-]*={0,2}$/;

function decodeBase64(given: string): Uint8Array {
  if (!base64Pattern.test(given)) throw expressionFailed(`‘${given.slice(0, 40)}’ is not Base64.`);
  return new Uint8Array(Buffer.from(given, 'base64'));
}

/** Text as bytes and bytes as text. */
export const encodingFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'toBase64',
    aliases: ['base64Encode'],
    takes: [bytesOrText],
    returns: 'text',
    does: 'Bytes, or text in UTF-8, as Base64.',
    evaluate: (given) => Buffer.from(given).toString('base64'),
  }),
  scalar({
    name: 'fromBase64',
    aliases: ['base64Decode'],
    takes: [text],
    returns: 'bytes',
    does: 'The bytes of Base64.',
    evaluate: decodeBase64,
  }),
  scalar({
    name: 'bytesToHex',
    aliases: ['toHex'],
    takes: [bytesOrText],
    returns: 'text',
    does: 'Bytes, or text in UTF-8, as pairs of hex digits.',
    evaluate: hexOf,
  }),
  scalar({
    name: 'hexToBytes',
    aliases: ['fromHex'],
    takes: [text],
    returns: 'bytes',
    does: 'The bytes of pairs of hex digits.',
    evaluate(given) {
      const decoded = bytesOfHex(given);
      if (decoded === undefined) throw expressionFailed(`‘${given.slice(0, 40)}’ is not pairs of hex digits.`);
      return decoded;
    },
  }),
  scalar({
    name: 'toUtf8',
    takes: [text],
    returns: 'bytes',
    does: 'Text as UTF-8.',
    evaluate: (given) => new Uint8Array(Buffer.from(given)),
  }),
  scalar({
    name: 'fromUtf8',
    takes: [bytes],
    returns: 'text',
    does: 'Text of UTF-8; bytes that are none become U+FFFD.',
    evaluate: (given) => Buffer.from(given).toString('utf8'),
  }),
  scalar({
    name: 'toAscii',
    takes: [text],
    returns: 'bytes',
    does: 'Text as ASCII; other characters become `?`.',
    evaluate: (given) => new Uint8Array(Buffer.from(given.replaceAll(/[^\0-\x7F]/gu, '?'), 'latin1')),
  }),
  scalar({
    name: 'fromAscii',
    takes: [bytes],
    returns: 'text',
    does: 'Text of ASCII.',
    evaluate: (given) => Buffer.from(given).toString('latin1'),
  }),
];
