import { Component, type ReactNode } from 'react';
import { messageOf } from './states.tsx';

interface BoundaryState {
  readonly error?: unknown;
}

/** Shows the error of a component that cannot be rendered in its place, so that the rest stays. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override state: BoundaryState = {};

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error: error ?? 'The error is unknown.' };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="notice bad" role="alert">
        <strong>This cannot be shown</strong>
        <p>{messageOf(error)}</p>
        <div>
          <button
            type="button"
            className="button small"
            onClick={() => this.setState({ error: undefined })}
          >
            Try again
          </button>
        </div>
      </div>
    );
  }
}
