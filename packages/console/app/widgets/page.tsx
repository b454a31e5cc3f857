import { type ReactNode, useId } from 'react';

/** The head of a page and what is below it. */
export function Page({
  title,
  about,
  actions,
  children,
}: {
  readonly title: ReactNode;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>{title}</h1>
          {about !== undefined && <p>{about}</p>}
        </div>
        {actions !== undefined && <div className="toolbar">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

export function Card({
  title,
  actions,
  children,
  flush = false,
}: {
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** True if its content, a list, extends to its edges, and scrolls if it is wider. */
  readonly flush?: boolean;
}): ReactNode {
  const titleId = useId();
  return (
    <section className="card">
      <header>
        <h2 id={titleId}>{title}</h2>
        {actions !== undefined && <div className="toolbar">{actions}</div>}
      </header>
      {flush ? (
        // Scrollable content must be reachable by the keyboard.
        <div className="scroll-x" tabIndex={0} role="region" aria-labelledby={titleId}>
          {children}
        </div>
      ) : (
        <div className="body">{children}</div>
      )}
    </section>
  );
}

export type Tone = 'good' | 'warn' | 'bad' | 'accent' | '';

export function Badge({
  tone = '',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}): ReactNode {
  return <span className={`badge ${tone}`}>{children}</span>;
}

/** One line of a list of facts. */
export function Fact({
  name,
  value,
}: {
  readonly name: string;
  readonly value: ReactNode;
}): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

export function Figure({
  value,
  label,
}: {
  readonly value: ReactNode;
  readonly label: string;
}): ReactNode {
  return (
    <div className="figure-one">
      <strong>{value}</strong>
      <span>{label}</span>
    </div>
  );
}
