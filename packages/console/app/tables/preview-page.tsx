import type { JsonObject, JsonValue } from '@quire/client';
import { type ReactNode, useRef, useState } from 'react';
import { counted, formatCount } from '../format.ts';
import { useGoTo, placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { prettyJson } from '../widgets/json-view.tsx';
import { Badge, Card, Figure, Page } from '../widgets/page.tsx';
import { Failed } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { type Finding, FindingList, PreviewRows, type PreviewedRow } from './preview-parts.tsx';
import { exactJson, parseDocument } from './exact-json.ts';
import { RowsCard } from './rows-card.tsx';
import { uploadFile } from './upload.ts';
import { useRows } from './use-rows.ts';
import { useUpload } from './use-upload.tsx';

interface Preview {
  readonly sourceRows: readonly PreviewedRow[];
  readonly rows: readonly PreviewedRow[];
  readonly tableConfig: JsonObject;
  readonly schema: JsonObject | null;
  readonly findings: readonly Finding[];
  readonly summary: Readonly<Record<string, number>>;
}

/** Drop a file or paste rows; see the resulting table; change it, preview again, and create it. */
export function PreviewPage(): ReactNode {
  const { call, admin, role, sendFile } = useSession();
  const goTo = useGoTo();
  const { attempt } = useToasts();
  const rows = useRows();
  const { text, file, sampled, delimiter, read } = rows;
  const upload = useUpload();
  const [name, setName] = useState('my_table');
  const [schema, setSchema] = useState('');
  const [config, setConfig] = useState('');
  const [preview, setPreview] = useState<Preview>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const hasErrors = preview?.findings.some(({ severity }) => severity === 'error') === true;

  const looking = useRef<AbortController>(undefined);
  const look = async (withDocuments: boolean): Promise<void> => {
    const { signal } = (looking.current = new AbortController());
    setIsBusy(true);
    setError(undefined);
    try {
      const documents = withDocuments
        ? { schema: parseDocument(schema, 'schema'), tableConfig: parseDocument(config, 'config') }
        : {};
      const sourceRows =
        sampled !== undefined
          ? (preview?.sourceRows ?? [])
          : read.rows.map((row) => ({ fieldToValueMap: row }));
      const answer =
        sampled !== undefined && !withDocuments
          ? await upload.run((sending) =>
              sendFile(samplePath(sampled, delimiter), sampled, sending),
            )
          : await call('/tables/preview', {
              method: 'POST',
              body: exactJson({ sourceRows, ...documents } as unknown as JsonValue),
              signal,
            });
      if (answer === undefined || signal.aborted) return;
      setPreview(answer as unknown as Preview);
      if (!withDocuments) {
        const { schema: inferred, tableConfig } = answer as unknown as Preview;
        setSchema(prettyJson({ ...withoutDefaults(inferred ?? {}), schemaName: name }));
        setConfig(prettyJson({ ...essentials(tableConfig), tableName: name }));
      }
    } catch (caught) {
      if (!signal.aborted) setError(caught);
    } finally {
      setIsBusy(false);
    }
  };
  const choose = (chosen: File | undefined): void => {
    if (chosen === undefined) return;
    rows.choose(chosen);
    setPreview(undefined);
    // A preview of the file before would be taken for one of this file.
    looking.current?.abort();
    upload.cancel();
  };
  const make = (): void =>
    attempt(async () => {
      const table = parseDocument(config, 'config');
      const half = table['tableType'] === 'REALTIME' ? 'realtime' : 'offline';
      // Before the table is created: a text that cannot be loaded would leave it empty.
      const content = half === 'realtime' ? undefined : rows.toLoad();
      await admin.createTableConfigs({
        tableName: name,
        schema: parseDocument(schema, 'schema'),
        [half]: table,
      });
      goTo(['tables', name]);
      if (content === undefined) return `The table ${name} was created, and consumes its stream.`;
      const loaded = await upload.run((sending) => uploadFile(sendFile, name, content, sending));
      return loaded?.sentence ?? `The table ${name} was created; the file was not loaded.`;
    });

  return (
    <Page
      title={
        <>
          <a href={placeOf(['tables'])}>Tables</a> / Preview
        </>
      }
      about="The content of a table before it is created: rows before and after, and all problems. Nothing is stored."
    >
      <RowsCard
        text={text}
        file={file}
        read={read}
        isSampled={sampled !== undefined}
        delimiter={delimiter}
        onText={rows.write}
        onFile={choose}
        onDelimiter={rows.setDelimiter}
        name={name}
        onName={setName}
        isBusy={isBusy}
        upload={upload}
        onPreview={() => void look(false)}
      />
      {error !== undefined && <Failed error={error} />}
      {preview !== undefined && (
        <>
          <Summary preview={preview} />
          <Documents
            findings={preview.findings}
            documents={[
              ['schema', 'Schema', schema, setSchema],
              ['tableConfig', 'Config', config, setConfig],
            ]}
          />
          <div className="toolbar">
            <button
              type="button"
              className="button"
              disabled={isBusy}
              onClick={() => void look(true)}
            >
              Preview again
            </button>
            {role === 'admin' && (
              <button
                type="button"
                className="button main"
                disabled={isBusy || hasErrors}
                onClick={make}
              >
                Create the table and load {file === undefined ? 'the rows' : 'the file'}
              </button>
            )}
            {hasErrors && (
              <span className="quiet">It can be created once its errors are fixed.</span>
            )}
          </div>
          <div className="columns">
            <PreviewRows
              title="Rows before"
              rows={preview.sourceRows}
              lines={read.lines}
              empty="No row could be read"
            />
            <PreviewRows
              title="Rows after"
              rows={preview.rows}
              times={timesOf(preview.schema)}
              lines={read.lines}
              empty="The table would have no rows: all are dropped or failed"
            />
          </div>
        </>
      )}
    </Page>
  );
}

/** Schema and config, to change, with the findings about each. */
function Documents({
  documents,
  findings,
}: {
  readonly documents: readonly (readonly [
    path: 'schema' | 'tableConfig',
    title: string,
    text: string,
    onText: (text: string) => void,
  ])[];
  readonly findings: readonly Finding[];
}): ReactNode {
  return (
    <div className="columns">
      {documents.map(([path, title, text, onText]) => (
        <Card key={path} title={title}>
          <div className="document">
            <textarea
              rows={16}
              aria-label={title}
              value={text}
              spellCheck={false}
              onChange={(event) => onText(event.target.value)}
            />
            <FindingList findings={findings} document={path} text={text} />
          </div>
        </Card>
      ))}
    </div>
  );
}

/** The rows of a file that a preview reads. */
const previewRowsMax = 500;

/** Returns the path of the call that samples a file. */
function samplePath({ name }: File, delimiter: string | undefined): string {
  const query = new URLSearchParams({
    name,
    numRows: String(previewRowsMax),
    batchConfigMapStr: JSON.stringify({ 'recordReader.prop.delimiter': delimiter }),
  });
  return `/tables/previewFile?${query.toString()}`;
}

/** Columns whose values are timestamps. */
function timesOf(schema: JsonObject | null): ReadonlySet<string> {
  const columns = Object.values(schema ?? {}).flatMap((list) =>
    Array.isArray(list) ? (list as readonly JsonValue[]).filter(isObject) : [],
  );
  return new Set(
    columns.flatMap(({ name, dataType }) =>
      dataType === 'TIMESTAMP' && typeof name === 'string' ? [name] : [],
    ),
  );
}

function Summary({ preview: { summary, findings } }: { readonly preview: Preview }): ReactNode {
  const count = (severity: string): number =>
    findings.filter((finding) => finding.severity === severity).length;
  return (
    <div className="figures">
      <Figure value={formatCount(summary['getnSourceRows'] ?? 0)} label="rows sampled" />
      <Figure value={formatCount(summary['getnRows'] ?? 0)} label="rows in the table" />
      <Figure value={formatCount(summary['getnFailedRows'] ?? 0)} label="rows that failed" />
      <Figure
        value={
          <>
            <Badge tone={count('error') === 0 ? 'good' : 'bad'}>
              {counted(count('error'), 'error')}
            </Badge>{' '}
            <Badge tone={count('warning') === 0 ? '' : 'warn'}>
              {counted(count('warning'), 'warning')}
            </Badge>
          </>
        }
        label="findings"
      />
    </div>
  );
}

/**
 * Returns a document without unset members: nulls, and lists and objects that contain nothing else.
 */
function withoutDefaults(document: JsonObject): JsonObject {
  const kept = Object.entries(document).map(([name, value]): [string, JsonValue] => {
    if (Array.isArray(value)) {
      return [
        name,
        value.map((each: JsonValue) => (isObject(each) ? withoutDefaults(each) : each)),
      ];
    }
    return [name, isObject(value) ? withoutDefaults(value) : value];
  });
  return Object.fromEntries(
    kept.filter(
      ([, value]) =>
        !(value === null || (typeof value === 'object' && Object.keys(value).length === 0)),
    ),
  );
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the part of a config that one would write by hand: its name, type, and time column. */
function essentials({ tableType, segmentsConfig, ingestionConfig }: JsonObject): JsonObject {
  const { timeColumnName = null, replication = '1' } = (segmentsConfig ?? {}) as JsonObject;
  const { transformConfigs = null } = (ingestionConfig ?? {}) as JsonObject;
  const hasTransforms = Array.isArray(transformConfigs) && transformConfigs.length > 0;
  return {
    tableType: tableType ?? 'OFFLINE',
    segmentsConfig: { replication, ...(timeColumnName !== null && { timeColumnName }) },
    ...(hasTransforms && { ingestionConfig: { transformConfigs } }),
  };
}
