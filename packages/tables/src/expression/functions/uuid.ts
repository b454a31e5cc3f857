import { expressionFailed } from '../expression-error.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { bytes, text } from '../parameters.ts';
import { bytesOfHex, hexOf } from '../values/bytes.ts';

const uuidPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** UUIDs (RFC 9562) between text and bytes. */
export const uuidFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'toUuidBytes',
    takes: [text],
    returns: 'bytes',
    does: 'The 16 bytes of a UUID; null for text that is none.',
    evaluate: (given) => (uuidPattern.test(given) ? (bytesOfHex(given.replaceAll('-', '')) ?? null) : null),
  }),
  scalar({
    name: 'fromUuidBytes',
    takes: [bytes],
    returns: 'text',
    does: 'The UUID of 16 bytes, in lower case.',
    evaluate(given) {
      if (given.length !== 16) throw expressionFailed(`A UUID has 16 bytes, not ${given.length}.`);
      return hexOf(given).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    },
  }),
];
