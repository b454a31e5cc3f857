import type { JsonObject, JsonValue } from '@quire/client';
import { type ReactNode, useState } from 'react';
import { counted, formatBytes } from '../format.ts';
import { readColumns, selectAll } from '../query/catalog.ts';
import { RowCount, SampleRows } from '../query/table-rows.tsx';
import { useGoTo, placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { Confirm } from '../widgets/dialog.tsx';
import { JsonText } from '../widgets/json-view.tsx';
import { ListTable } from '../widgets/list-table.tsx';
import { Card, Page } from '../widgets/page.tsx';
import { Empty, Resolved } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { ConsumptionCard } from './consumption-card.tsx';
import { LoadCard } from './load-card.tsx';

const tabs = ['columns', 'rows', 'segments', 'config'] as const;
/** The interval of counting rows, except for tables of files, which take a whole read. */
const countEveryMs = 5000;

/** One table: its columns, segments and config; for a real-time table its consumption. */
export function TablePage({ name }: { readonly name: string }): ReactNode {
  const { admin, role } = useSession();
  const goTo = useGoTo();
  const { attempt } = useToasts();
  const [tab, setTab] = useState<(typeof tabs)[number]>('columns');
  const [isDoomed, setIsDoomed] = useState(false);
  const [loadCount, setLoadCount] = useState(0);
  const configs = useResource(`table ${name}`, (signal) => admin.readTable(name, { signal }));
  const isRealtime = (configs.value?.['realtime'] ?? null) !== null;
  // Undefined until the configs are known, so that neither kind of table is shown as the other.
  const isFile = configs.isLoading ? undefined : isMadeOfFiles(configs.value?.['offline']);
  const hasOffline = (configs.value?.['offline'] ?? null) !== null;
  const canLoad = role === 'admin' && hasOffline && isFile === false;
  const remove = (): void =>
    attempt(async () => {
      const sentence = await admin.deleteTable(name);
      goTo(['tables']);
      return sentence;
    });
  return (
    <Page
      title={
        <>
          <a href={placeOf(['tables'])}>Tables</a> / {name}
        </>
      }
      about={
        <>
          <RowCount
            key={loadCount}
            table={name}
            {...(isFile === false && { everyMs: countEveryMs })}
          />{' '}
          · <Size key={`size ${loadCount}`} name={name} isFile={isFile} />
        </>
      }
      actions={
        <>
          <a className="button" href={placeOf(['query'], { sql: selectAll(name) })}>
            Query
          </a>
          {role === 'admin' && isRealtime && (
            <a className="button" href={placeOf(['restream'], { table: `${name}_REALTIME` })}>
              Restream
            </a>
          )}
          {role === 'admin' && isFile === false && (
            <button type="button" className="button danger" onClick={() => setIsDoomed(true)}>
              Delete
            </button>
          )}
        </>
      }
    >
      {isRealtime && <ConsumptionCard table={`${name}_REALTIME`} />}
      <div className="tabs" role="tablist" aria-label="About the table">
        {(isFile === true ? tabs.filter((each) => each !== 'segments') : tabs).map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            aria-selected={tab === each}
            onClick={() => setTab(each)}
          >
            {
              {
                columns: 'Columns',
                rows: 'Sample',
                segments: 'Segments',
                config: 'Config',
              }[each]
            }
          </button>
        ))}
      </div>
      {tab === 'columns' && <Columns name={name} />}
      {tab === 'rows' && (
        <Card title="The first rows that the server finds" flush>
          <SampleRows key={loadCount} table={name} />
        </Card>
      )}
      {tab === 'segments' && <Segments key={loadCount} name={name} />}
      {tab === 'config' && (
        <Resolved of={configs} what="the config">
          {(value) => <Documents configs={value} />}
        </Resolved>
      )}
      {canLoad && <LoadCard table={name} onLoaded={() => setLoadCount(loadCount + 1)} />}
      {isDoomed && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete the table"
          onConfirm={remove}
          onClose={() => setIsDoomed(false)}
        >
          <p>The table and all its segments are deleted. Its schema is kept.</p>
        </Confirm>
      )}
    </Page>
  );
}

/** Returns whether an offline half consists of files that the settings of a broker name. */
function isMadeOfFiles(offline: JsonValue | undefined): boolean {
  if (typeof offline !== 'object' || offline === null) return false;
  const { metadata } = offline as { metadata?: { customConfigs?: { readOnly?: string } } };
  return metadata?.customConfigs?.readOnly === 'true';
}

function Size({
  name,
  isFile,
}: {
  readonly name: string;
  readonly isFile: boolean | undefined;
}): ReactNode {
  const { admin } = useSession();
  const sizes = useResource(`sizes ${name}`, (signal) => admin.readTableSizes(name, { signal }));
  const files = useResource(`files ${name} ${isFile}`, async (signal) =>
    isFile === true ? admin.listFileTables({ signal }) : [],
  );
  if (isFile === true) {
    const { fileCount, sizeBytes } = files.value?.find(({ tableName }) => tableName === name) ?? {};
    return (
      <>
        {fileCount !== undefined && sizeBytes !== undefined
          ? `${counted(fileCount, 'file')}, ${formatBytes(sizeBytes)}, `
          : 'files '}
        that engine.table.{name}.path names
      </>
    );
  }
  if (sizes.error !== undefined) return 'size not known';
  if (isFile === undefined || sizes.value === undefined) return <span aria-busy>measuring…</span>;
  const halves = sizes.value;
  const bytes = halves.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const segments = halves.reduce((sum, { segmentCount }) => sum + segmentCount, 0);
  return (
    <>
      {counted(segments, 'segment')}, {formatBytes(bytes)}
    </>
  );
}

function Columns({ name }: { readonly name: string }): ReactNode {
  const { call } = useSession();
  const columns = useResource(`columns ${name}`, (signal) => readColumns(call, name, signal));
  return (
    <Resolved of={columns} what="the columns">
      {(list) => (
        <Card title={counted(list.length, 'column')} flush>
          <ListTable
            items={list}
            columns={[
              { name: 'Column', cell: ({ name: column }) => <code>{column}</code> },
              { name: 'Type', cell: ({ dataType }) => dataType },
            ]}
            keyOf={({ name: column }) => column}
            empty={<Empty title="The schema has no columns" />}
          />
        </Card>
      )}
    </Resolved>
  );
}

function Segments({ name }: { readonly name: string }): ReactNode {
  const { call } = useSession();
  const segments = useResource(
    `segments ${name}`,
    async (signal) => {
      const size = (await call(`/tables/${encodeURIComponent(name)}/size`, {
        signal,
      })) as unknown as Readonly<
        Record<
          'offlineSegments' | 'realtimeSegments',
          { readonly segments: Readonly<Record<string, unknown>> } | null
        >
      >;
      return [
        ...Object.entries(size.offlineSegments?.segments ?? {}),
        ...Object.entries(size.realtimeSegments?.segments ?? {}),
      ];
    },
    { everyMs: 5000 },
  );
  return (
    <Resolved of={segments} what="the segments">
      {(list) => (
        <Card title={counted(list.length, 'segment')} flush>
          <ListTable
            items={list}
            columns={[
              {
                name: 'Segment',
                cell: ([segment, about]) => (
                  <>
                    <code>{segment}</code> <Problem of={about} />
                  </>
                ),
              },
              { name: 'Size', isNumber: true, cell: ([, about]) => sizeOf(about) },
            ]}
            keyOf={([segment]) => segment}
            empty={
              <Empty title="The table has no segments yet">
                <p>
                  A table over files has no segments; a real-time table has its first after a
                  commit.
                </p>
              </Empty>
            }
          />
        </Card>
      )}
    </Resolved>
  );
}

/** Returns the problem of a segment; undefined if it is complete, as far as the server knows. */
function Problem({ of }: { readonly of: unknown }): ReactNode {
  if (typeof of !== 'object' || of === null || !('problem' in of)) return null;
  return (
    <p className="notice bad">
      <strong>Damaged.</strong> {String(of.problem)}
    </p>
  );
}

function sizeOf(about: unknown): string {
  if (typeof about !== 'object' || about === null || !('reportedSizeInBytes' in about)) return '';
  return formatBytes(Number(about.reportedSizeInBytes));
}

function Documents({ configs }: { readonly configs: JsonObject }): ReactNode {
  const documents = (['schema', 'offline', 'realtime'] as const).filter(
    (name) => (configs[name] ?? null) !== null,
  );
  return (
    <div className="columns">
      {documents.map((name) => (
        <Card
          key={name}
          title={
            { schema: 'Schema', offline: 'Config, OFFLINE', realtime: 'Config, REALTIME' }[name]
          }
        >
          <JsonText value={configs[name] ?? null} label={name} />
        </Card>
      ))}
    </div>
  );
}
