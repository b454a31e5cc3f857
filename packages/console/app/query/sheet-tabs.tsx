import { visibleText } from '@quire/core/portable';
import { type ReactNode, useState } from 'react';
import { copyText } from '../copy-text.ts';
import { counted } from '../format.ts';
import { placeOf } from '../router.ts';
import { saveFile } from '../save-file.ts';
import { useSession } from '../session.ts';
import { Dialog } from '../widgets/dialog.tsx';
import { Menu } from '../widgets/menu.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import type { SheetState } from './sheets.ts';

/** The open queries, each in a tab. */
export function SheetTabs({
  state: { sheets, current, isStored },
  onSelect,
}: {
  readonly state: SheetState;
  readonly onSelect: (id: string) => void;
}): ReactNode {
  const { sheets: store, runners } = useSession();
  return (
    <div className="sheet-bar">
      <div className="tabs" role="tablist" aria-label="Queries">
        {sheets.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="tab"
            aria-selected={id === current.id}
            onClick={() => onSelect(id)}
          >
            {visibleText(name)}
          </button>
        ))}
      </div>
      <button
        type="button"
        className="button plain small"
        aria-label="New query"
        onClick={() => onSelect(store.open().id)}
      >
        +
      </button>
      {!isStored && (
        <span className="badge warn" role="status">
          not saved: the browser has no space left
        </span>
      )}
      {sheets.length > 1 && (
        <button
          type="button"
          className="button plain small"
          aria-label={`Close ${visibleText(current.name)}`}
          onClick={() => {
            runners.close(current.id);
            store.close(current.id);
            onSelect(store.read().current.id);
          }}
        >
          ✕
        </button>
      )}
    </div>
  );
}

/** The named queries, and the file with everything that was written here. */
export function SavedMenu({
  state: { saved, current },
  onChoose,
}: {
  readonly state: SheetState;
  readonly onChoose: (sql: string, name: string) => void;
}): ReactNode {
  const { sheets: store } = useSession();
  const { attempt } = useToasts();
  const [isNaming, setIsNaming] = useState(false);
  return (
    <>
      <Menu label="Saved" fromStart>
        {saved.length === 0 && (
          <span className="quiet menu-note">
            Queries that you give a name stay here, in this browser.
          </span>
        )}
        {saved.map(({ name, sql }) => (
          <span key={name} className="saved-query">
            <button type="button" title={sql} onClick={() => onChoose(sql, name)}>
              {visibleText(name)}
            </button>
            <button
              type="button"
              aria-label={`Delete ${visibleText(name)}`}
              onClick={() => store.forget(name)}
            >
              ✕
            </button>
          </span>
        ))}
        <hr />
        <button
          type="button"
          disabled={current.text.trim() === ''}
          onClick={() => setIsNaming(true)}
        >
          Save this query…
        </button>
        <button
          type="button"
          disabled={current.text.trim() === ''}
          onClick={() =>
            attempt(async () => {
              const link = new URL(placeOf(['query'], { sql: current.text }), location.href).href;
              await copyText(link);
              return 'The link to this query is copied.';
            })
          }
        >
          Copy a link to this query
        </button>
        <button
          type="button"
          onClick={() =>
            saveFile(new Blob([store.exported()], { type: 'application/json' }), 'queries.json')
          }
        >
          Export all queries
        </button>
        <label>
          Import queries
          <input
            type="file"
            className="hidden-text"
            accept=".json"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file === undefined) return;
              attempt(async () => {
                const count = store.add(await file.text());
                target.value = '';
                return `${counted(count, 'query', 'queries')} added.`;
              });
            }}
          />
        </label>
      </Menu>
      {isNaming && (
        <NameDialog
          name={current.name}
          onName={(name) => {
            store.keep({ name, sql: current.text });
            store.change(current.id, { name });
          }}
          onClose={() => setIsNaming(false)}
        />
      )}
    </>
  );
}

function NameDialog({
  name,
  onName,
  onClose,
}: {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const [text, setText] = useState(name);
  return (
    <Dialog title="Save this query" onClose={onClose}>
      <form
        className="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          onName(text.trim());
          onClose();
        }}
      >
        <label className="choice">
          <span>Name</span>
          <input
            value={text}
            required
            autoFocus
            pattern=".*\S.*"
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <button type="submit" className="button main">
          Save
        </button>
      </form>
      <p className="quiet">It stays in this browser. A query of the same name is replaced.</p>
    </Dialog>
  );
}
