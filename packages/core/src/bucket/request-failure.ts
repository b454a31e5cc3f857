import { abortError, type ErrorCode, isQuireError, QuireError } from '../errors.ts';
import { objectNotFound } from '../store/store-errors.ts';
import { describeCall, type FailedCall } from './failed-call.ts';

/** What an SDK says of a failed request. */
export interface RequestFailure {
  /** The server's code, or that of the connection; empty without one. */
  readonly code: string;
  /** The HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  /** All of it in words, without a full stop. */
  readonly text: string;
}

/** The code that a failure stands for, and what to do about it: a sentence after a space. */
export type FailureVerdict = readonly [code: ErrorCode, hint?: string];

/** How the failures of one server are read. */
export interface FailureRules {
  read(error: unknown): RequestFailure;
  /** Decides what the server's own codes mean; undefined leaves it to the status. */
  judge(failure: RequestFailure, call: FailedCall, error: unknown): FailureVerdict | undefined;
}

/** Translates the failures of requests to one server into QuireErrors. */
export class FailureTranslator {
  readonly #rules: FailureRules;

  constructor(rules: FailureRules) {
    this.#rules = rules;
  }

  /** Returns the QuireError that a failure of a request stands for. */
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

  /** Runs requests of one call of the store and throws their failures as QuireErrors. */
  async run<T>(call: FailedCall, requests: () => Promise<T>): Promise<T> {
    try {
      return await requests();
    } catch (error) {
      throw this.translate(error, call);
    }
  }
}

/** What a status means to any server of objects. */
function verdictOf(status: number | undefined, op: FailedCall['op']): FailureVerdict {
  if (status === 401 || status === 403) {
    return ['STORE_MISCONFIGURED', ' Check the credentials and what they allow.'];
  }
  if (status === 404 && (op === 'head' || op === 'get')) return ['OBJECT_NOT_FOUND'];
  if (status === 416 && op === 'get') return ['OBJECT_SHORT_READ'];
  if (status === 413 || status === 507) return ['STORE_FULL'];
  // 5xx, 408, 429, and failures without an answer may pass; what a server cannot do, it cannot later.
  const isRefusal = status !== undefined && status >= 300 && status < 500;
  const isPassing = status === 408 || status === 429;
  return [
    (isRefusal && !isPassing) || status === 501 ? 'STORE_MISCONFIGURED' : 'STORE_UNAVAILABLE',
  ];
}
