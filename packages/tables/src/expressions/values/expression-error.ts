import { QuireError } from '@quire/core';

/**
 * The error of an expression that cannot be evaluated on a row: the only one that leaves an
 * evaluator.
 */
export function expressionFailed(message: string, cause?: unknown): QuireError {
  return new QuireError('EXPRESSION_FAILED', message, cause === undefined ? undefined : { cause });
}

/**
 * Returns what leaves an evaluator for an error that a function threw. An error of the runtime,
 * such as the end of the stack or a text beyond its longest, is that row's: it says nothing about
 * other rows. Any other error is returned as it is.
 */
export function rowError(error: unknown): unknown {
  if (
    !(
      error instanceof RangeError ||
      error instanceof TypeError ||
      error instanceof SyntaxError ||
      error instanceof URIError
    )
  ) {
    return error;
  }
  return expressionFailed(
    `The value cannot be worked with: ${error.message.replace(/\.$/, '')}.`,
    error,
  );
}

/**
 * Thrown while an expression's text is read; becomes a finding, and leaves this directory no other
 * way.
 */
export class ExpressionSyntaxError extends Error {
  override readonly name = 'ExpressionSyntaxError';
  readonly code: string;
  /** Offset into the text, in UTF-16 code units. */
  readonly position: number;

  constructor(message: string, position: number, code = 'EXPRESSION_SYNTAX') {
    super(message);
    this.code = code;
    this.position = position;
  }
}
