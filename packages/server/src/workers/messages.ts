import type { ErrorCode } from '@quire/core';

/** An error on its way between two processes. */
export interface ErrorMessage {
  /** Undefined for what is not a QuireError. */
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly stack: string | undefined;
  readonly exceptionNumber?: number | undefined;
  /** What its causes say, for the log. */
  readonly details?: string | undefined;
}

export type Outcome =
  | { readonly isGood: true; readonly value: unknown }
  | { readonly isGood: false; readonly error: ErrorMessage };

/** What the pool says to a worker. */
export type ToWorker =
  | { readonly kind: 'open'; readonly module: string; readonly setup: unknown }
  | { readonly kind: 'run'; readonly input: unknown }
  | { readonly kind: 'cancel'; readonly reason: ErrorMessage }
  | { readonly kind: 'reply'; readonly callId: number; readonly outcome: Outcome }
  | { readonly kind: 'stop' };

/** What a worker says to its pool. */
export type FromWorker =
  | { readonly kind: 'opened'; readonly outcome: Outcome; readonly directories: readonly string[] }
  | {
      readonly kind: 'call';
      readonly callId: number;
      readonly name: string;
      readonly input: unknown;
    }
  | { readonly kind: 'done'; readonly outcome: Outcome; readonly residentBytes: number };
