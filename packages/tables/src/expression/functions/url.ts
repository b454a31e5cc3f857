import { expressionFailed } from '../expression-error.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { text } from '../parameters.ts';

function part(name: string, does: string, partOf: (url: URL) => string): FunctionDefinition {
  return scalar({
    name,
    takes: [text],
    returns: 'text',
    does: `${does} Null for text that is no URL.`,
    evaluate: (given) => (URL.canParse(given) ? partOf(new URL(given)) : null),
  });
}

/** URLs: escapes and parts. */
export const urlFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'encodeUrl',
    aliases: ['urlEncode'],
    takes: [text],
    returns: 'text',
    does: 'Escaped as forms escape it: a space is `+`.',
    evaluate: (given) => new URLSearchParams({ v: given }).toString().slice(2),
  }),
  scalar({
    name: 'decodeUrl',
    aliases: ['urlDecode'],
    takes: [text],
    returns: 'text',
    does: 'Without the escapes of a form.',
    evaluate(given) {
      try {
        return decodeURIComponent(given.replaceAll('+', ' '));
      } catch (error) {
        throw expressionFailed(`‘${given.slice(0, 40)}’ has an escape that is none.`, error);
      }
    },
  }),
  part('urlProtocol', 'The protocol of a URL: `https`.', (url) => url.protocol.slice(0, -1)),
  part('urlDomain', 'The host of a URL.', (url) => url.hostname),
  part('urlPath', 'The path of a URL.', (url) => url.pathname),
  scalar({
    name: 'urlPort',
    takes: [text],
    returns: 'integer',
    does: 'The port that stands in a URL; -1 where none does, or for text that is no URL.',
    evaluate: (given) => (URL.canParse(given) && new URL(given).port !== '' ? Number(new URL(given).port) : -1),
  }),
];
