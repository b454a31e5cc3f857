import { abortError, type ErrorCode, isQuireError, QuireError } from '../errors.ts';
import { objectNotFound } from '../store/store-errors.ts';
import { describeCall, type FailedCall } from './failed-call.ts';

/** An SDK's description of a failed request. */
export interface RequestFailure {
  /** The error code of the server or of the connection; empty if there is none. */
  readonly code: string;
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** The whole description, without a full stop. */
  readonly text: string;
}

/** The error code for a failure, and advice: a sentence after a space. */
export type FailureVerdict = readonly [code: ErrorCode, hint?: string];

/** The rules for interpreting the failures of one server. */
export interface FailureRules {
  read(error: unknown): RequestFailure;
  /** Interprets the server's own error codes; returns undefined to decide by the status. */
  judge(failure: RequestFailure, call: FailedCall, error: unknown): FailureVerdict | undefined;
}

/** Translates the failures of requests to one server into QuireErrors. */
export class FailureTranslator {
  readonly #rules: FailureRules;

  constructor(rules: FailureRules) {
    this.#rules = rules;
  }

  /** Returns the QuireError for a failed request. */
  translate(error: unknown, call: FailedCall): QuireError {
    if (isQuireError(error)) return error;
    if (call.signal?.aborted === true) return abortError(call.signal);
    const failure = this.#rules.read(error);
    const [code, hint = ''] =
      this.#rules.judge(failure, call, error) ?? verdictOf(failure.status, call.op);
    if (code === 'OBJECT_NOT_FOUND') return objectNotFound(call.key, call.location, error);
    const message = `${describeCall(call)} failed: ${failure.text}.${hint}`;
    return new QuireError(code, message, { cause: error });
  }

  /** Runs the requests of one store call and throws their failures as QuireErrors. */
  async run<T>(call: FailedCall, requests: () => Promise<T>): Promise<T> {
    try {
      return await requests();
    } catch (error) {
      throw this.translate(error, call);
    }
  }
}

/** Returns the verdict for a status that is the same for all object servers. */
function verdictOf(status: number | undefined, op: FailedCall['op']): FailureVerdict {
  if (status === 401 || status === 403) {
    return ['STORE_MISCONFIGURED', ' Check the credentials and their permissions.'];
  }
  if (status === 404 && (op === 'head' || op === 'get')) return ['OBJECT_NOT_FOUND'];
  if (status === 416 && op === 'get') return ['OBJECT_SHORT_READ'];
  if (status === 413 || status === 507) return ['STORE_FULL'];
  // Statuses 5xx, 408 and 429, and failures without a response, may be temporary. Other refusals
  // are permanent.
  const isRefusal = status !== undefined && status >= 300 && status < 500;
  const isPassing = status === 408 || status === 429;
  return [
    (isRefusal && !isPassing) || status === 501 ? 'STORE_MISCONFIGURED' : 'STORE_UNAVAILABLE',
  ];
}
