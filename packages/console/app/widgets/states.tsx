import { isQuireError } from '@quire/client';
import { visibleLines } from '@quire/core/portable';
import type { ReactNode } from 'react';
import { CallError } from '../call.ts';
import type { Resource } from '../use-resource.ts';

export function Loading({ what }: { readonly what: string }): ReactNode {
  return (
    <div className="state" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>Loading {what}…</span>
    </div>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <div className="state">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

/** Reports an error, in the server's own words, and offers to retry. */
export function Failed({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}): ReactNode {
  return (
    <div className="notice bad" role="alert">
      <strong>{titleOf(error)}</strong>
      <p>{messageOf(error)}</p>
      {onRetry !== undefined && (
        <div>
          <button type="button" className="button small" onClick={onRetry}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}

/** Shows a resource once it is loaded, and otherwise the reason why it is not. */
export function Resolved<Value>({
  of: resource,
  what,
  children,
}: {
  readonly of: Resource<Value>;
  readonly what: string;
  readonly children: (value: Value) => ReactNode;
}): ReactNode {
  const { value, error, reload } = resource;
  if (value === undefined) {
    return error === undefined ? (
      <Loading what={what} />
    ) : (
      <Failed error={error} onRetry={reload} />
    );
  }
  return (
    <>
      {error !== undefined && <Failed error={error} onRetry={reload} />}
      {children(value)}
    </>
  );
}

export function messageOf(error: unknown): string {
  return visibleLines(error instanceof Error ? error.message : String(error));
}

export function codeOf(error: unknown): string | undefined {
  if (error instanceof CallError || isQuireError(error)) return error.code;
  return undefined;
}

function titleOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'SERVER_UNREACHABLE':
      return 'The server cannot be reached';
    case 'FORBIDDEN':
      return 'You may not do this';
    case 'RESULT_EXPIRED':
      return 'This result has expired';
    case 'RESULT_DELETED':
      return 'This result was deleted';
    case 'RESULT_EVICTED':
      return 'This result was evicted';
    case 'RESULT_NOT_FOUND':
      return 'There is no such result';
    case 'UNSUPPORTED':
      return 'This does not exist on this server';
    default:
      return 'The request failed';
  }
}
