import { systemClock } from '@quire/core/portable';
import { storeText } from './store-text.ts';

/** A query in a tab. */
export interface Sheet {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** The results of its last queries, the visible one first. */
  readonly resultIds?: readonly string[];
}

/** A named query. */
export interface SavedQuery {
  readonly name: string;
  readonly sql: string;
}

/** Everything that was written in this browser; also the content of an exported file. */
export interface SheetDocument {
  readonly sheets: readonly Sheet[];
  readonly saved: readonly SavedQuery[];
}

export interface SheetState extends SheetDocument {
  readonly current: Sheet;
  /** False if the browser has no space for the last change, which is lost with the tab. */
  readonly isStored: boolean;
}

/** The key of the sheet that a window shows: two windows may show two. */
const currentKey = 'quire.sheet';
/** The results of a sheet that the browser's history leads to. */
const resultsMax = 20;

/**
 * The queries in tabs, and the saved ones. They are stored in this browser under the caller's name,
 * and kept in sync between its windows.
 */
export class SheetStore {
  readonly #key: string;
  readonly #listeners = new Set<() => void>();
  #state: SheetState;
  /** The stored text that the state was read from, or written to. */
  #text: string | null = null;

  constructor(name: string) {
    this.#key = `quire.sheets.${name}`;
    this.#state = this.#load();
    addEventListener('storage', ({ key }) => {
      if (key === this.#key) this.#become(this.#load());
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly read = (): SheetState => this.#state;

  select(id: string): void {
    sessionStorage.setItem(currentKey, id);
    this.#become({ ...withCurrent(this.#state, id), isStored: this.#state.isStored });
  }

  /** Opens a sheet with a text, and shows it: the current one, if it is empty. */
  open(text = '', name?: string): Sheet {
    const { sheets, current } = this.#latest();
    if (text !== '' && current.text.trim() === '' && current.resultIds === undefined) {
      return this.change(current.id, { text, ...(name !== undefined && { name }) });
    }
    const sheet = { id: freshId(sheets), name: name ?? nextName(sheets), text };
    this.#save({ ...this.#state, sheets: [...sheets, sheet] });
    this.select(sheet.id);
    return sheet;
  }

  /** Changes a sheet; one that was closed in the meantime stays closed. */
  change(id: string, change: Partial<Omit<Sheet, 'id'>>): Sheet {
    const { sheets, current } = this.#latest();
    const changed = sheets.map((sheet) => (sheet.id === id ? { ...sheet, ...change } : sheet));
    this.#save({ ...this.#state, sheets: changed });
    return changed.find((sheet) => sheet.id === id) ?? current;
  }

  /** Records the result that a sheet shows. */
  show(id: string, requestId: string): void {
    const { resultIds = [] } = this.#latest().sheets.find((sheet) => sheet.id === id) ?? {};
    const others = resultIds.filter((each) => each !== requestId);
    this.change(id, { resultIds: [requestId, ...others].slice(0, resultsMax) });
  }

  /** Closes a sheet, and shows the next one, or an empty one. */
  close(id: string): void {
    const { sheets, current } = this.#latest();
    const index = sheets.findIndex((sheet) => sheet.id === id);
    const left = sheets.filter((sheet) => sheet.id !== id);
    this.#save({ ...this.#state, sheets: left });
    if (current.id !== id) return;
    this.select((left[Math.max(0, index - 1)] ?? this.#state.current).id);
  }

  /** Saves a query under a name; replaces one of the same name. */
  keep(query: SavedQuery): void {
    const others = this.#latest().saved.filter(({ name }) => name !== query.name);
    const saved = [...others, query].toSorted((one, other) => one.name.localeCompare(other.name));
    this.#save({ ...this.#state, saved });
  }

  forget(name: string): void {
    const saved = this.#latest().saved.filter((each) => each.name !== name);
    this.#save({ ...this.#state, saved });
  }

  /** Returns all of it as the text of a file. */
  exported(): string {
    const { sheets, saved } = this.#state;
    const texts = sheets.map(({ id, name, text }): Sheet => ({ id, name, text }));
    return JSON.stringify({ sheets: texts, saved }, null, 2);
  }

  /**
   * Adds the content of a file; returns its number of queries. @throws Error when it is not a file
   * that the console has exported
   */
  add(text: string): number {
    const { sheets, saved } = parseDocument(text);
    for (const query of saved) this.keep(query);
    const known = new Set(this.#latest().sheets.map(({ id }) => id));
    const fresh = sheets.filter(({ id }) => !known.has(id));
    this.#save({ ...this.#state, sheets: [...this.#state.sheets, ...fresh] });
    return saved.length + fresh.length;
  }

  /** Returns the state with the changes of other windows, whose events may not have arrived. */
  #latest(): SheetState {
    const text = localStorage.getItem(this.#key);
    const isOutdated = text !== null && text !== this.#text;
    if (this.#state.isStored && isOutdated) this.#become(this.#load());
    return this.#state;
  }

  #load(): SheetState {
    const text = localStorage.getItem(this.#key);
    this.#text = text;
    const stored = text === null ? undefined : readStored(text);
    return withCurrent(stored ?? { sheets: [], saved: [] }, sessionStorage.getItem(currentKey));
  }

  #save(document: SheetDocument): void {
    const state = withCurrent(document, this.#state.current.id);
    const { sheets, saved } = state;
    const text = JSON.stringify({ sheets, saved });
    const isStored = storeText(this.#key, text);
    if (isStored) this.#text = text;
    this.#become({ ...state, isStored });
  }

  #become(state: SheetState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** There is always a sheet, and one of them is visible. */
function withCurrent({ sheets, saved }: SheetDocument, id: string | null): SheetState {
  const all = sheets.length > 0 ? sheets : [{ id: freshId([]), name: 'Query 1', text: '' }];
  const [first] = all as readonly [Sheet];
  const current = all.find((sheet) => sheet.id === id) ?? first;
  return { sheets: all, saved, current, isStored: true };
}

/** Unlike those of other windows, which opened theirs at other times. */
function freshId(sheets: readonly Sheet[]): string {
  return `${systemClock.nowMs()}-${sheets.length}`;
}

function nextName(sheets: readonly Sheet[]): string {
  for (let number = sheets.length + 1; ; number += 1) {
    const name = `Query ${number}`;
    if (sheets.every((sheet) => sheet.name !== name)) return name;
  }
}

/** Undefined for a text that other software has stored there. */
function readStored(text: string): SheetDocument | undefined {
  try {
    return parseDocument(text);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** @throws Error */
function parseDocument(text: string): SheetDocument {
  const document: unknown = JSON.parse(text);
  const { sheets, saved } = (document ?? {}) as Record<string, unknown>;
  if (!Array.isArray(sheets) || !Array.isArray(saved)) {
    throw new Error('The file contains no queries of the console.');
  }
  return {
    sheets: sheets
      .filter((sheet) => hasTexts<Sheet>(sheet, ['id', 'name', 'text']))
      .map(({ id, name, text, resultIds }): Sheet => ({
        id,
        name,
        text,
        ...(isTexts(resultIds) && { resultIds }),
      })),
    saved: saved.filter((query) => hasTexts<SavedQuery>(query, ['name', 'sql'])),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function hasTexts<Value>(value: unknown, names: readonly (keyof Value)[]): value is Value {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof (value as Value)[name] === 'string')
  );
}
