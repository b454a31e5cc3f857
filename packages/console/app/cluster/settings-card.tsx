import type { ClusterHealthResponse, SettingsResponse } from '@quire/api';
import { type ReactNode, useState } from 'react';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { Choice } from '../widgets/choice.tsx';
import { type ListColumn, ListTable } from '../widgets/list-table.tsx';
import { Card } from '../widgets/page.tsx';
import { Empty, Resolved } from '../widgets/states.tsx';

const controller = ['', 'the controller'] as const;

const columns: readonly ListColumn<SettingsResponse['settings'][number]>[] = [
  { name: 'Setting', cell: ({ key }) => <code>{key}</code> },
  {
    name: 'Value',
    className: 'value',
    cell: ({ value }) =>
      value === '' ? <span className="null">not set</span> : <code>{value}</code>,
  },
  { name: 'From', className: 'quiet', cell: ({ source }) => source },
  { name: 'Change', className: 'quiet', cell: ({ isLive }) => (isLive ? 'live' : 'restart') },
];

/** The settings of the controller, or of a broker, which may run elsewhere with its own file. */
export function SettingsCard({
  brokers,
}: {
  readonly brokers: ClusterHealthResponse['brokers'];
}): ReactNode {
  const { call } = useSession();
  const [filter, setFilter] = useState('');
  const [onlyChanged, setOnlyChanged] = useState(true);
  const [broker, setBroker] = useState('');
  const settings = useResource(
    `settings ${broker}`,
    async (signal) =>
      (await call('/cluster/settings', {
        signal,
        query: { broker: broker === '' ? undefined : broker },
      })) as unknown as SettingsResponse,
  );
  return (
    <Card
      title="Settings in force"
      flush
      actions={
        <>
          <Choice
            label="of"
            value={broker}
            options={[
              controller,
              ...brokers.map(({ url, brokerId }) => [url, brokerId ?? url] as const),
            ]}
            onChange={setBroker}
          />
          <label className="check">
            <input
              type="checkbox"
              checked={onlyChanged}
              onChange={(event) => setOnlyChanged(event.target.checked)}
            />
            changed settings only
          </label>
          <input
            aria-label="Filter settings"
            placeholder="Filter"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </>
      }
    >
      <Resolved of={settings} what="the settings">
        {({ settings: all, problems }) => (
          <>
            {problems.length > 0 && (
              <div className="notice warn">
                <strong>The file is not valid; the last valid settings stay in force</strong>
                {problems.map((problem) => (
                  <p key={problem}>{problem}</p>
                ))}
              </div>
            )}
            <ListTable
              items={all.filter(
                ({ key, isDefault }) =>
                  key.toLowerCase().includes(filter.toLowerCase()) && !(onlyChanged && isDefault),
              )}
              columns={columns}
              keyOf={({ key }) => key}
              empty={
                <Empty
                  title={
                    onlyChanged
                      ? 'No changed setting has a key that contains this'
                      : 'No setting has a key that contains this'
                  }
                />
              }
            />
          </>
        )}
      </Resolved>
    </Card>
  );
}
