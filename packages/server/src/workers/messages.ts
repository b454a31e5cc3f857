import { decodeError, encodeError, type ErrorMessage } from '@quire/core/process';
import type { TraceHeaders } from '@quire/core/trace';

export type Outcome =
  | { readonly isGood: true; readonly value: unknown }
  | { readonly isGood: false; readonly error: ErrorMessage };

/** A message from the pool to a worker. */
export type ToWorker =
  | {
      readonly kind: 'open';
      readonly module: string;
      readonly setup: unknown;
      /** True if it records spans. */
      readonly isTraced: boolean;
    }
  /** The work, and its parent span. */
  | { readonly kind: 'run'; readonly input: unknown; readonly trace: TraceHeaders | undefined }
  | { readonly kind: 'cancel'; readonly reason: ErrorMessage }
  | { readonly kind: 'reply'; readonly callId: number; readonly outcome: Outcome }
  | { readonly kind: 'stop' };

/** A message from a worker to its pool. */
export type FromWorker =
  | { readonly kind: 'opened'; readonly outcome: Outcome; readonly directories: readonly string[] }
  | {
      readonly kind: 'call';
      readonly callId: number;
      readonly name: string;
      readonly input: unknown;
      /** The parent span of the call. */
      readonly trace: TraceHeaders | undefined;
    }
  /** Finished spans, for the tracer of the pool's process. */
  | { readonly kind: 'spans'; readonly spans: unknown }
  /** The work that was sent last has started. */
  | { readonly kind: 'started' }
  | { readonly kind: 'done'; readonly outcome: Outcome; readonly residentBytes: number };

/** Runs a task, and resolves to its outcome. */
export async function outcomeOf(task: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { isGood: true, value: await task() };
  } catch (error) {
    return { isGood: false, error: encodeError(error) };
  }
}

/** Returns the value of an outcome. @throws its error */
export function valueOf(outcome: Outcome): unknown {
  if (outcome.isGood) return outcome.value;
  throw decodeError(outcome.error);
}
