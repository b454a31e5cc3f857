import { QuireError } from '@quire/core';

/**
 * Creates the error for an expression that cannot be evaluated on a row, which is the only error
 * that an evaluator throws.
 */
export function expressionFailed(message: string, cause?: unknown): QuireError {
  return new QuireError('EXPRESSION_FAILED', message, cause === undefined ? undefined : { cause });
}

/**
 * Returns the error that an evaluator throws for an error of a function. An error of the runtime,
 * such as a stack overflow or a text that is too long, concerns this row only. Any other error is
 * returned unchanged.
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
    `The value cannot be processed: ${error.message.replace(/\.$/, '')}.`,
    error,
  );
}

/**
 * Thrown while the text of an expression is parsed. It is converted to a finding and never leaves
 * this directory.
 */
export class ExpressionSyntaxError extends Error {
  override readonly name = 'ExpressionSyntaxError';
  readonly code: string;
  /** The offset into the text, in UTF-16 code units. */
  readonly position: number;

  constructor(message: string, position: number, code = 'EXPRESSION_SYNTAX') {
    super(message);
    this.code = code;
    this.position = position;
  }
}
