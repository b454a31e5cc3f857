import { parseHTML } from 'linkedom';
import { act, createElement, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FindDialog } from '../../app/query/column-dialogs.tsx';
import { useRowView, type ViewedResult } from '../../app/query/use-row-view.ts';
import { StartForm } from '../../app/restream/start-form.tsx';
import { type Session, SessionContext } from '../../app/session.ts';
import { LoadCard } from '../../app/tables/load-card.tsx';
import { PreviewPage } from '../../app/tables/preview-page.tsx';
import { type PreviewedRows, useRows } from '../../app/tables/use-rows.ts';
import { ErrorBoundary } from '../../app/widgets/error-boundary.tsx';

let page: Document;
let eventOf: (type: string) => Event;

beforeEach(() => {
  const { window, document } = parseHTML('<html><body></body></html>');
  page = document;
  eventOf = (type) => new window.Event(type, { bubbles: true });
  Object.assign(window.HTMLElement.prototype, {
    showModal: () => undefined,
    close: () => undefined,
  });
  for (const [name, value] of Object.entries({ window, document })) vi.stubGlobal(name, value);
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Shows a node in an element of its own; caught errors of components are not logged. */
async function show(node: ReactNode): Promise<HTMLElement> {
  const element = page.createElement('div');
  page.body.append(element);
  const root = createRoot(element, { onCaughtError: () => undefined });
  await act(async () => root.render(node));
  return element;
}

test('a component that cannot be rendered is replaced by its error, and the rest of the page stays', async () => {
  let isBroken = true;
  const Broken = (): ReactNode => {
    if (isBroken) throw new Error('The year has five digits.');
    return 'rows';
  };
  const boundary = createElement(ErrorBoundary, null, createElement(Broken));
  const element = await show(createElement('div', null, 'editor ', boundary));
  expect(element.textContent).toBe('editor This cannot be shownThe year has five digits.Try again');
  const retry = async (): Promise<void> => {
    await act(async () => element.querySelector('button')?.dispatchEvent(eventOf('click')));
  };
  await retry();
  expect(element.querySelector('[role=alert]')).not.toBeNull();
  isBroken = false;
  await retry();
  expect(element.textContent).toBe('editor rows');
});

/** The view of a result, and its queries, each of which is answered by a call. */
async function viewOf(dialects: readonly string[]) {
  const deleted: string[] = [];
  const queries: { readonly sql: string; readonly answer: (id: string) => Promise<void> }[] = [];
  const query = (sql: string): Promise<object> =>
    new Promise((resolve) => {
      const answer = async (requestId: string): Promise<void> => {
        const drop = async (): Promise<void> => void deleted.push(requestId);
        await act(async () => resolve({ requestId, [Symbol.asyncDispose]: drop }));
      };
      queries.push({ sql, answer });
    });
  const shown: { current?: ViewedResult } = {};
  const result = { requestId: 'whole', columns: [], totalRowCount: 5, broker: undefined };
  const View = (): ReactNode => {
    shown.current = useRowView(result);
    return null;
  };
  const session = { client: { query }, dialects } as unknown as Session;
  await show(createElement(SessionContext, { value: session }, createElement(View)));
  const read = (): string | undefined => shown.current?.shown.requestId;
  const sort = async (name: string | undefined): Promise<void> => {
    const column = { index: 0, key: 'a', name: 'a', dataType: 'INT', resultName: name ?? '' };
    const order = name === undefined ? undefined : ({ column, direction: 'ascending' } as const);
    await act(async () => shown.current?.setView({ filters: [], sort: order }));
  };
  const rerun = async (): Promise<void> => act(async () => shown.current?.rerun());
  return { read, sort, rerun, queries, deleted };
}

test('a view that is chosen again has rows of its own, because those of the first time are deleted', async () => {
  const { read, sort, queries, deleted } = await viewOf([]);
  await sort('a');
  await queries[0]?.answer('first');
  expect([read(), deleted]).toEqual(['first', []]);
  await sort(undefined);
  expect([read(), deleted]).toEqual(['whole', ['first']]);
  await sort('a');
  expect(read()).toBe('whole');
  await queries[1]?.answer('second');
  expect([read(), queries.length, deleted]).toEqual(['second', 2, ['first']]);
});

test('a view whose rows are gone runs its query again', async () => {
  const { read, sort, rerun, queries } = await viewOf([]);
  await sort('a');
  await queries[0]?.answer('first');
  await rerun();
  expect(read()).toBe('whole');
  await queries[1]?.answer('second');
  expect([read(), queries[1]?.sql]).toEqual(['second', queries[0]?.sql]);
});

test('a view is a query in the own dialect of an engine that has several', async () => {
  const { sort, queries } = await viewOf(['duckdb', 'pinot']);
  await sort('a');
  expect(queries.map(({ sql }) => sql)).toEqual([
    `SET dialect = 'duckdb'; SELECT *\nFROM result('whole')\nORDER BY "a" NULLS LAST`,
  ]);
});

test('the beginning of a long file is previewed here, and a file whose beginning has no row by the server', async () => {
  const shown: { current?: PreviewedRows } = {};
  const Rows = (): ReactNode => {
    shown.current = useRows();
    return null;
  };
  await show(createElement(Rows));
  const rows = Array.from({ length: 40_000 }, (_none, n) => JSON.stringify({ n, text: 'text' }));
  /** A file that is read when the test says so. */
  const fileOf = (name: string, content: string) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const slice = (start: number, end: number) => ({
      text: async () => (await promise).slice(start, end),
    });
    const file: File = Object.assign(new File([content], name), { slice });
    return { file, read: () => act(async () => resolve(content)) };
  };
  const seen = () => {
    const { file, sampled, read, text } = shown.current ?? {};
    return [file?.name, sampled?.name, read?.rows.length, text === ''];
  };
  const choose = async ({ file, read }: ReturnType<typeof fileOf>) => {
    await act(async () => shown.current?.choose(file));
    await read();
    return seen();
  };
  const lines = (): ReturnType<typeof fileOf> => fileOf('lines.json', rows.join('\n'));
  const array = fileOf('array.json', `[${rows.join(',\n')}]`);
  const oneLine = fileOf('line.json', `[${rows.join(',')}]`);
  expect(await choose(lines())).toEqual(['lines.json', undefined, 500, false]);
  expect(await choose(array)).toEqual(['array.json', 'array.json', 0, true]);
  expect(await choose(oneLine)).toEqual(['line.json', 'line.json', 0, true]);
  const slow = lines();
  await act(async () => shown.current?.choose(slow.file));
  const short = fileOf('short.json', `[${rows.slice(0, 9).join(',\n')}]`);
  expect(await choose(short)).toEqual(['short.json', undefined, 9, false]);
  await slow.read();
  expect(seen()).toEqual(['short.json', undefined, 9, false]);
  await act(async () => shown.current?.write('{"n":1}'));
  expect([shown.current?.file, shown.current?.read.rows.length]).toEqual([undefined, 1]);
});

test('a file that cannot be read any more is left to the server, whose answer says why', async () => {
  const shown: { current?: PreviewedRows } = {};
  const Rows = (): ReactNode => {
    shown.current = useRows();
    return null;
  };
  await show(createElement(Rows));
  const slice = () => ({ text: () => Promise.reject(new Error('It is gone.')) });
  const file: File = Object.assign(new File(['a'], 'gone.csv'), { slice });
  await act(async () => shown.current?.choose(file));
  expect(shown.current?.sampled?.name).toBe('gone.csv');
});

/** Sends an event to an element. */
async function send(element: HTMLElement, selector: string, type: string): Promise<void> {
  await act(async () => element.querySelector(selector)?.dispatchEvent(eventOf(type)));
}

/** Chooses a file in the first field for files. */
async function chooseFile(element: HTMLElement, file: File): Promise<void> {
  const field = element.querySelector('input[type=file]');
  Object.defineProperty(field, 'files', { value: [file], configurable: true });
  await send(element, 'input[type=file]', 'change');
}

/**
 * The properties that React has given an element. Its values and what is typed there are not read
 * from the document, because React was loaded without one.
 */
function propertiesOf(element: HTMLElement, selector: string) {
  const found = element.querySelector(selector);
  const key = Object.keys(found ?? {}).find((name) => name.startsWith('__reactProps$'));
  return (found as Record<string, unknown> | null)?.[key ?? ''] as
    | {
        readonly value: string;
        readonly disabled?: boolean;
        readonly onChange: (event: object) => void;
      }
    | undefined;
}

async function type(element: HTMLElement, selector: string, value: string): Promise<void> {
  await act(async () => propertiesOf(element, selector)?.onChange({ target: { value } }));
}

/** A file whose content is read when the test says so. */
function slowFile(name: string, content: string) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const slice = () => ({ text: () => promise });
  const file: File = Object.assign(new File([content], name), { slice });
  return { file, read: () => act(async () => resolve(content)) };
}

test('the file to load is the one that was chosen last, however long others take to read', async () => {
  const session = { sendFile: async () => ({}) } as unknown as Session;
  const card = createElement(LoadCard, { table: 'flights', onLoaded: () => undefined });
  const element = await show(createElement(SessionContext, { value: session }, card));
  const [slow, fast] = [slowFile('slow.csv', 'a;b'), slowFile('fast.csv', 'a,b')];
  await chooseFile(element, slow.file);
  await chooseFile(element, fast.file);
  await fast.read();
  await slow.read();
  expect(element.textContent).toContain('fast.csv');
});

test('a search whose text has changed reports nothing', async () => {
  const answers: ((rows: readonly string[]) => Promise<void>)[] = [];
  const call = () =>
    new Promise((resolve) => {
      answers.push(async (row) => {
        const resultTable = {
          dataSchema: { columnNames: ['next', 'first', 'count'] },
          rows: [row],
        };
        await act(async () => resolve({ resultTable }));
      });
    });
  const found: number[] = [];
  const dialog = createElement(FindDialog, {
    result: { requestId: 'whole', columns: [], totalRowCount: 5, broker: undefined },
    column: { index: 0, key: 'a', name: 'a', dataType: 'STRING', resultName: 'a' },
    row: 0,
    onFound: (row) => found.push(row),
    onClose: () => undefined,
  });
  const session = { call, dialects: [] } as unknown as Session;
  const element = await show(createElement(SessionContext, { value: session }, dialog));
  await type(element, 'input', 'old');
  await send(element, 'form', 'submit');
  await type(element, 'input', 'new');
  await answers[0]?.(['3', '1', '7']);
  expect([found, element.querySelector('[role=status]')?.textContent]).toEqual([[], '']);
  await send(element, 'form', 'submit');
  await answers[1]?.(['5', '5', '1']);
  expect(found).toEqual([4]);
});

test('the form of a new job cannot be sent again before it is answered', async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  const session = { admin: { startRestream: () => promise } } as unknown as Session;
  const form = createElement(StartForm, {
    table: 'events_REALTIME',
    tables: ['events_REALTIME'],
    onStarted: () => undefined,
  });
  const element = await show(createElement(SessionContext, { value: session }, form));
  const isDisabled = () => propertiesOf(element, 'button[type=submit]')?.disabled === true;
  expect(isDisabled()).toBe(false);
  await send(element, 'form', 'submit');
  expect(isDisabled()).toBe(true);
  await act(async () => resolve({ next: 'It consumes.' }));
  expect(isDisabled()).toBe(false);
});

test('a preview is that of the file that was chosen last, even if another one is answered later', async () => {
  const answers: ((name: string) => Promise<void>)[] = [];
  const call = () =>
    new Promise((resolve) => {
      answers.push(async (name) => {
        const schema = { schemaName: name, dimensionFieldSpecs: [{ name }] };
        const preview = {
          sourceRows: [],
          rows: [],
          tableConfig: {},
          schema,
          findings: [],
          summary: {},
        };
        await act(async () => resolve(preview));
      });
    });
  const session = { call, role: 'admin' } as unknown as Session;
  const element = await show(
    createElement(SessionContext, { value: session }, createElement(PreviewPage)),
  );
  const look = async (): Promise<void> => send(element, 'button.main', 'click');
  const schema = (): string | undefined => propertiesOf(element, '[aria-label=Schema]')?.value;
  const [first, second] = [slowFile('one.csv', 'a\n1\n'), slowFile('two.csv', 'b\n2\n')];
  await chooseFile(element, first.file);
  await first.read();
  await look();
  await chooseFile(element, second.file);
  await second.read();
  await answers[0]?.('one');
  expect(schema()).toBeUndefined();
  await look();
  await answers[1]?.('two');
  expect(schema()).toContain('"name": "two"');
});
