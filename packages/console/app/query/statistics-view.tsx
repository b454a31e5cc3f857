import type { JsonObject } from '@quire/client';
import type { ReactNode } from 'react';
import { formatCount, formatElapsed, formatTime } from '../format.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { ListTable } from '../widgets/list-table.tsx';
import { Resolved } from '../widgets/states.tsx';
import { planOfStages, planOfTrace, type PlanStep } from './plan-steps.ts';
import { PlanTree } from './plan-view.tsx';
import type { OpenResult } from './result-pages.ts';

const nanoseconds = (value: number): string => formatElapsed(value / 1e6);

/** The members of a metadata record that are shown, with their titles and formats. */
const facts: readonly (readonly [name: string, title: string, format?: (n: number) => string])[] = [
  ['timeUsedMs', 'Time', formatElapsed],
  ['brokerReduceTimeMs', 'Time of the merge at the broker', formatElapsed],
  ['numRowsResultSet', 'Rows of the result'],
  ['numDocsScanned', 'Rows scanned'],
  ['totalDocs', 'Rows in the tables'],
  ['numEntriesScannedInFilter', 'Values scanned by filters'],
  ['numEntriesScannedPostFilter', 'Values scanned after filters'],
  ['numServersQueried', 'Servers queried'],
  ['numServersResponded', 'Servers that responded'],
  ['numSegmentsQueried', 'Segments queried'],
  ['numSegmentsProcessed', 'Segments processed'],
  ['numSegmentsMatched', 'Segments with a match'],
  ['numConsumingSegmentsQueried', 'Consuming segments queried'],
  ['numSegmentsPrunedByBroker', 'Segments pruned by the broker'],
  ['numSegmentsPrunedByServer', 'Segments pruned by servers'],
  ['numSegmentsPrunedByLimit', 'Segments pruned by the limit'],
  ['numSegmentsPrunedByValue', 'Segments pruned by values'],
  ['minConsumingFreshnessTimeMs', 'Streams consumed up to', formatTime],
  ['offlineTotalCpuTimeNs', 'CPU time, offline', nanoseconds],
  ['realtimeTotalCpuTimeNs', 'CPU time, real-time', nanoseconds],
];

/** The flags of a metadata record, with what they mean. */
const flags: readonly (readonly [name: string, title: string])[] = [
  ['partialResult', 'The result is partial.'],
  ['numGroupsLimitReached', 'The limit of groups was reached: groups may be missing.'],
  ['maxRowsInJoinReached', 'The limit of rows in a join was reached: rows may be missing.'],
];

/** The engine's statistics of the query of a result, and its trace if the query requested one. */
export function StatisticsView({ result }: { readonly result: OpenResult }): ReactNode {
  const { client } = useSession();
  const { requestId, broker } = result;
  const record = useResource(`statistics ${requestId}`, (signal) =>
    client.metadata(requestId, { broker, signal }),
  );
  return (
    <div className="plan" tabIndex={0} role="region" aria-label="Statistics">
      <Resolved of={record} what="the statistics">
        {(value) => <Statistics record={value} />}
      </Resolved>
    </div>
  );
}

function Statistics({ record }: { readonly record: JsonObject }): ReactNode {
  const shown = facts.flatMap(([name, title, format = formatCount]) => {
    const value = Number(record[name] ?? 0);
    // Counts that do not apply to the engine are 0.
    return value > 0 ? [{ title, text: format(value) }] : [];
  });
  const steps: readonly PlanStep[] = [
    ...planOfStages(record['stageStats']),
    ...planOfTrace(record['traceInfo']),
  ];
  return (
    <>
      {flags
        .filter(([name]) => record[name] === true)
        .map(([name, title]) => (
          <p className="notice warn" key={name}>
            {title}
          </p>
        ))}
      <ListTable
        items={shown}
        columns={[
          { name: 'Statistic', cell: ({ title }) => title },
          { name: 'Value', isNumber: true, cell: ({ text }) => text },
        ]}
        keyOf={({ title }) => title}
        empty={null}
      />
      {steps.length > 0 && (
        <>
          <h3>Steps</h3>
          <PlanTree steps={steps} />
        </>
      )}
    </>
  );
}
