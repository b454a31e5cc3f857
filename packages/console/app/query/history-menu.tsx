import { visibleText } from '@quire/core/portable';
import { type ReactNode, useSyncExternalStore } from 'react';
import { counted, formatElapsed, formatTime } from '../format.ts';
import { Menu } from '../widgets/menu.tsx';
import type { PastQuery, QueryHistory } from './history.ts';

/** The queries that were run in this browser: their times, durations and numbers of rows. */
export function HistoryMenu({
  history,
  onChoose,
}: {
  readonly history: QueryHistory;
  readonly onChoose: (sql: string) => void;
}): ReactNode {
  const past = useSyncExternalStore(history.subscribe, history.read);
  return (
    <Menu label="History" fromStart>
      {past.length === 0 && (
        <span className="quiet menu-note">
          Queries that you run are listed here, in this browser only.
        </span>
      )}
      {past.map((query) => (
        <button
          key={query.sql}
          type="button"
          className="past-query"
          onClick={() => onChoose(query.sql)}
        >
          <code>{visibleText(query.sql.replaceAll(/\s+/g, ' '))}</code>
          <small className="quiet">
            {outcomeOf(query)} · {formatTime(query.timeMs)}
          </small>
        </button>
      ))}
      {past.length > 0 && (
        <button type="button" className="quiet" onClick={() => history.clear()}>
          Clear the history
        </button>
      )}
    </Menu>
  );
}

function outcomeOf({ outcome, rowCount = 0, elapsedMs = 0 }: PastQuery): string {
  if (outcome === undefined) return 'outcome unknown';
  const spent = formatElapsed(elapsedMs);
  return outcome === 'done'
    ? `${counted(rowCount, 'row')} in ${spent}`
    : `${outcome} after ${spent}`;
}
