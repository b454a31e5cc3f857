import type { ReactNode } from 'react';
import { codeOf, Empty, messageOf } from '../widgets/states.tsx';

/** The error codes of reads of a result that no longer exists. */
const missingCodes: readonly (string | undefined)[] = [
  'RESULT_EXPIRED',
  'RESULT_DELETED',
  'RESULT_EVICTED',
  'RESULT_NOT_FOUND',
];

/** Reports whether a read failed because the result no longer exists. */
export function isGone(error: unknown): boolean {
  return missingCodes.includes(codeOf(error));
}

/** Replaces a result that no longer exists: the reason, and a button to run the query again. */
export function MissingResult({
  error,
  canRunAgain,
  onRunAgain,
}: {
  readonly error: unknown;
  readonly canRunAgain: boolean;
  readonly onRunAgain: () => void;
}): ReactNode {
  const code = codeOf(error);
  const title =
    code === 'RESULT_DELETED'
      ? 'This result was deleted'
      : code === 'RESULT_EVICTED'
        ? 'This result was evicted'
        : code === 'RESULT_NOT_FOUND'
          ? 'There is no such result'
          : 'This result has expired';
  return (
    <Empty title={title}>
      <p>{messageOf(error)}</p>
      {canRunAgain && (
        <button type="button" className="button main" onClick={onRunAgain}>
          Run the query again
        </button>
      )}
    </Empty>
  );
}
