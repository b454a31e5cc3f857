import { isQuireError, type QuireError } from '@quire/core';
import { findErrorBy, GenericError, MultipleErrors } from '@platformatic/kafka';
import { streamInvalid, streamUnavailable } from '../stream-errors.ts';

/** Kafka errors for which a retry cannot help. */
const invalidAnswers = [
  'UNKNOWN_TOPIC_OR_PARTITION',
  'UNKNOWN_TOPIC_ID',
  'INVALID_TOPIC_EXCEPTION',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
];

/** Errors of the client itself for which a retry cannot help. */
const invalidCodes = [
  'PLT_KFK_AUTHENTICATION',
  'PLT_KFK_UNSUPPORTED_COMPRESSION',
  'PLT_KFK_UNSUPPORTED',
  'PLT_KFK_USER',
];

/** Reports whether Kafka answered with one of its own errors. */
export function isAnswer(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.some((name) => findErrorBy(error, 'apiId', name) !== null);
}

/** Returns the QuireError for a failure of the client; any other error is returned unchanged. */
export function toStreamError(error: unknown, description: string): unknown {
  if (isQuireError(error) || !(error instanceof Error) || !isOfKafka(error)) return error;
  const reason = reasonOf(error);
  if (
    isAnswer(error, 'UNKNOWN_TOPIC_OR_PARTITION', 'UNKNOWN_TOPIC_ID') ||
    reason.startsWith('Unknown topic')
  ) {
    return streamInvalid(`${description} does not exist.`, error);
  }
  const isInvalid =
    isAnswer(error, ...invalidAnswers) ||
    invalidCodes.some((code) => findErrorBy(error, 'code', code) !== null);
  return isInvalid
    ? unusable(description, reason, error)
    : streamUnavailable(`${description} does not answer: ${reason}`, error);
}

function unusable(description: string, reason: string, error: Error): QuireError {
  return streamInvalid(`${description} cannot be used: ${reason}`, error);
}

function isOfKafka(error: Error): boolean {
  return (
    error instanceof AggregateError || GenericError.isGenericError(error) || 'syscall' in error
  );
}

/** Returns the innermost message, which is the most specific. */
function reasonOf(error: Error): string {
  const inner =
    MultipleErrors.isMultipleErrors(error) || error instanceof AggregateError
      ? (error.errors.at(-1) as unknown)
      : error.cause;
  if (inner instanceof Error && inner.message !== '') return reasonOf(inner);
  return /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
}
