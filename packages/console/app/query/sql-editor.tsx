import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  completionStatus,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, sql, SQLDialect } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { Catalog } from './catalog.ts';
import { functionNames } from './function-names.ts';
import type { ErrorRange } from './locate-error.ts';

/** The calls that the page makes to an editor, besides setting its text. */
export interface EditorHandle {
  /** Inserts a text at the cursor, separated from the words around it, and moves there. */
  readonly insert: (text: string) => void;
  /** Returns the selected text, and its position. */
  readonly selection: () => { readonly text: string; readonly from: number };
}

export interface SqlEditorProps {
  readonly ref?: Ref<EditorHandle>;
  readonly text: string;
  readonly catalog: Catalog | undefined;
  readonly problem: { readonly place: ErrorRange; readonly message: string } | undefined;
  readonly onChange: (text: string) => void;
  /** Called to run the text that is in the editor now, which may be newer than `text`. */
  readonly onRun: (text: string) => void;
  /** Called when the selection changes. */
  readonly onSelect: (isSelected: boolean) => void;
}

/** A dialect whose functions are those of the engine. */
const dialect = SQLDialect.define({
  ...PostgreSQL.spec,
  builtin: functionNames.join(' '),
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--code-keyword)', fontWeight: '550' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: tags.standard(tags.name), color: 'var(--accent)' },
  { tag: tags.typeName, color: 'var(--accent)' },
]);

const looks = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    fontSize: '13.5px',
    height: '100%',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--text)', padding: '10px 0' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-2)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--surface-2) 60%, transparent)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    {
      backgroundColor: 'var(--selection)',
    },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', fontFamily: 'var(--mono)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--accent-text)',
  },
  '.cm-completionDetail': { color: 'var(--text-2)', fontStyle: 'normal', marginLeft: '12px' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-placeholder': { color: 'var(--text-2)' },
});

/**
 * An editor for SQL that completes tables, columns and functions, and marks the errors that the
 * engine reports. It is in a shadow root with style sheets of scripts: the page's security policy
 * allows no style elements.
 */
export function SqlEditor(props: SqlEditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const language = useRef(new Compartment());
  const { text, catalog, problem } = props;
  // Typed texts that have not been returned as `text` yet: the editor is ahead of them.
  const typed = useRef<string[]>([]);
  const isGiven = useRef(false);
  const onChange = (next: string): void => {
    if (!isGiven.current) typed.current.push(next);
    props.onChange(next);
  };
  const latest = useRef(props);
  latest.current = { ...props, onChange };

  useEffect(() => {
    const { current: element } = host;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const mount = document.createElement('div');
    mount.style.height = '100%';
    root.replaceChildren(mount);
    const editor = new EditorView({
      root,
      parent: mount,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          basics,
          language.current.of(languageOf(latest.current.catalog)),
          keysOf(latest),
          listenTo(latest),
        ],
      }),
    });
    view.current = editor;
    editor.focus();
    return () => {
      editor.destroy();
      view.current = null;
    };
  }, []);

  useImperativeHandle(props.ref, () => ({
    insert: (text) => {
      const { current: editor } = view;
      if (editor !== null) insertApart(editor, text);
    },
    selection: () => {
      const { current: editor } = view;
      if (editor === null) return { text: '', from: 0 };
      const { from, to } = editor.state.selection.main;
      return { text: editor.state.sliceDoc(from, to), from };
    },
  }));

  useEffect(() => {
    const { current: editor } = view;
    const known = typed.current.lastIndexOf(text);
    typed.current = known === -1 ? [] : typed.current.slice(known + 1);
    if (known !== -1 || editor === null || editor.state.doc.toString() === text) return;
    isGiven.current = true;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
    isGiven.current = false;
  }, [text]);

  useEffect(() => {
    const { current: editor } = view;
    if (editor === null) return;
    editor.dispatch({ effects: language.current.reconfigure(languageOf(catalog)) });
    // A list that opened before the tables were known is created again.
    if (completionStatus(editor.state) !== null) startCompletion(editor);
  }, [catalog]);

  useEffect(() => {
    const { current: editor } = view;
    if (editor === null) return;
    const { length } = editor.state.doc;
    const shown: Diagnostic[] =
      problem === undefined || problem.place.from > length
        ? []
        : [
            {
              from: problem.place.from,
              to: Math.min(problem.place.to, length),
              severity: 'error',
              message: problem.message,
            },
          ];
    editor.dispatch(setDiagnostics(editor.state, shown));
  }, [problem]);

  return <div ref={host} className="editor" />;
}

/**
 * Replaces a selection by the typed text, as CodeMirror would after the browser has done it: the
 * browser would give the text the style of the selection, in an attribute that the page's security
 * policy refuses.
 */
const typingOverSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { data, inputType, isComposing } = event;
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || isComposing || empty) return false;
    const insert = (): ReturnType<EditorState['update']> =>
      view.state.update(view.state.replaceSelection(data), {
        userEvent: 'input.type',
        scrollIntoView: true,
      });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

const basics: Extension = [
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  highlightSpecialChars(),
  highlightActiveLine(),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ icons: false }),
  syntaxHighlighting(colours),
  looks,
  EditorView.lineWrapping,
  typingOverSelection,
  placeholder('SELECT …'),
  EditorView.contentAttributes.of({ 'aria-label': 'SQL' }),
  // Without a binding, Tab leaves the editor like every other field.
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
];

function languageOf(catalog: Catalog | undefined): Extension {
  const schema = Object.fromEntries(
    Object.entries(catalog ?? {}).map(([table, columns]) => [
      table,
      columns.map(({ name, dataType }) => ({ label: name, type: 'property', detail: dataType })),
    ]),
  );
  // Before a table is named, the columns of all tables are completed, such as after `SELECT`.
  const names = new Set(
    Object.values(catalog ?? {}).flatMap((columns) => columns.map(({ name }) => name)),
  );
  const anywhere = [...names].map((name) => ({ label: name, type: 'property', detail: 'column' }));
  return [
    sql({ dialect, schema, upperCaseKeywords: true }),
    dialect.language.data.of({
      autocomplete: (context: {
        readonly matchBefore: (
          pattern: RegExp,
        ) => { readonly from: number; readonly text: string } | null;
      }) => {
        const word = context.matchBefore(/(?<![.\w])[A-Za-z_]\w+$/);
        return word === null ? null : { from: word.from, options: anywhere, validFor: /^\w*$/ };
      },
    }),
  ];
}

/** Replaces the selection; spaces separate the text from the words around it. */
function insertApart(editor: EditorView, text: string): void {
  const { from, to } = editor.state.selection.main;
  const before = editor.state.sliceDoc(Math.max(0, from - 1), from);
  const after = editor.state.sliceDoc(to, to + 1);
  const insert = `${/[\w")]/.test(before) ? ' ' : ''}${text}${/[\w"]/.test(after) ? ' ' : ''}`;
  editor.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    scrollIntoView: true,
  });
  editor.focus();
}

function keysOf(latest: { readonly current: SqlEditorProps }): Extension {
  const run = (view: EditorView): boolean => {
    closeCompletion(view);
    latest.current.onRun(view.state.doc.toString());
    return true;
  };
  return Prec.highest(keymap.of([{ key: 'Mod-Enter', run }]));
}

function listenTo(latest: { readonly current: SqlEditorProps }): Extension {
  return EditorView.updateListener.of((update) => {
    if (update.docChanged) latest.current.onChange(update.state.doc.toString());
    const isSelected = !update.state.selection.main.empty;
    if (isSelected === update.startState.selection.main.empty) latest.current.onSelect(isSelected);
  });
}
