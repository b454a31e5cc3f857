import { QuireError } from '@quire/core';

/** @throws UNEXPECTED_RESPONSE when the text is not JSON */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new QuireError('UNEXPECTED_RESPONSE', 'The answer of Apache Pinot is not JSON.', {
      cause,
    });
  }
}
