import { QuireError } from '@quire/core';

/** The error of an expression that cannot be evaluated on a row: the only one that leaves an evaluator. */
export function expressionFailed(message: string, cause?: unknown): QuireError {
  return new QuireError('EXPRESSION_FAILED', message, cause === undefined ? undefined : { cause });
}

/** Thrown while an expression's text is read; becomes a finding, and leaves this directory no other way. */
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
