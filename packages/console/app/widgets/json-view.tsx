import type { JsonValue } from '@quire/client';
import { visibleLines, visibleText } from '@quire/core/portable';
import type { ReactNode } from 'react';
import { encodeJson } from '../query/cell-text.ts';
import { indentJson } from '../query/indent-json.ts';

/** A document as text, for copying. */
export function JsonText({
  value,
  label,
}: {
  readonly value: JsonValue;
  readonly label: string;
}): ReactNode {
  return (
    // Scrollable content must be reachable by the keyboard.
    <pre className="json" tabIndex={0} role="region" aria-label={label}>
      {visibleLines(prettyJson(value))}
    </pre>
  );
}

/** Returns JSON with all digits, indented by two spaces. */
export function prettyJson(value: unknown): string {
  // JSON.stringify does not support wide integers: the text is created first, then formatted.
  return indentJson(encodeJson(value));
}

/** A document as a tree that opens branch by branch. */
export function JsonTree({
  value,
  depth = 0,
}: {
  readonly value: unknown;
  readonly depth?: number;
}): ReactNode {
  if (typeof value === 'string') return <code>{visibleLines(value)}</code>;
  if (typeof value !== 'object' || value === null) return <code>{encodeJson(value)}</code>;
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length === 0) return <span className="null">none</span>;
  return (
    <ul className="tree">
      {entries.map(([name, member]) => (
        <li key={name}>
          {typeof member === 'object' && member !== null && Object.keys(member).length > 0 ? (
            <details open={depth < 1}>
              <summary>{visibleText(name)}</summary>
              <JsonTree value={member} depth={depth + 1} />
            </details>
          ) : (
            <>
              <span className="tree-name">{visibleText(name)}</span>{' '}
              <JsonTree value={member} depth={depth + 1} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
