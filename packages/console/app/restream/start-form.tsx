import { type ReactNode, useState } from 'react';
import { useSession } from '../session.ts';
import { Card } from '../widgets/page.tsx';
import { messageOf } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';

/** The form of a new job. */
export function StartForm({
  table,
  tables,
  onStarted,
}: {
  readonly table: string | undefined;
  /** The existing real-time tables. */
  readonly tables: readonly string[];
  readonly onStarted: () => void;
}): ReactNode {
  const { admin } = useSession();
  const { say } = useToasts();
  const [source, setSource] = useState(table ?? '');
  const [named, setNamed] = useState<string>();
  const destination = named ?? rebuiltName(source, tables);
  const [form, setForm] = useState<FormTexts>(firstTexts);
  const [pauses, setPauses] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const start = async (): Promise<void> => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      const { next } = await admin.startRestream(source, {
        destTableNameWithType: destination,
        maxTableStreamLag: Number(form.lag),
        maxRebalanceTimeMin: Number(form.minutes),
        debugPause: pauses,
        ...(form.serverTenant.trim() !== '' && { destServerTenant: form.serverTenant.trim() }),
        ...(form.brokerTenant.trim() !== '' && { destBrokerTenant: form.brokerTenant.trim() }),
      });
      say(next);
      setNamed(undefined);
      onStarted();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setIsBusy(false);
    }
  };
  const field = (
    name: keyof FormTexts,
    about: { readonly title: string; readonly note: string; readonly least?: string },
  ): ReactNode => (
    <label className="field">
      <span>{about.title}</span>
      <input
        {...(about.least !== undefined && { type: 'number', min: about.least, required: true })}
        value={form[name]}
        onChange={(event) => setForm({ ...form, [name]: event.target.value })}
      />
      <small>{about.note}</small>
    </label>
  );
  return (
    <Card title="Start a job">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <label className="field">
          <span>Table to rebuild</span>
          <select required value={source} onChange={(event) => setSource(event.target.value)}>
            <option value="">Choose a real-time table</option>
            {[...new Set([...tables, ...(source === '' ? [] : [source])])].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>New table</span>
          <input
            required
            placeholder="events_rebuilt_REALTIME"
            value={destination}
            onChange={(event) => setNamed(event.target.value)}
          />
        </label>
        {field('lag', {
          title: 'Greatest lag',
          note: 'Messages that a partition may lag behind when the new table takes over. With 0, a table whose stream grows constantly may never catch up.',
          least: '0',
        })}
        {field('minutes', {
          title: 'Minutes for the rebalance',
          note: 'The job fails if the rebalance takes longer.',
          least: '1',
        })}
        {field('serverTenant', {
          title: 'Tenant of servers',
          note: 'Default: the tenant of the table.',
        })}
        {field('brokerTenant', {
          title: 'Tenant of brokers',
          note: 'Default: the tenant of the table.',
        })}
        <label className="check">
          <input
            type="checkbox"
            checked={pauses}
            onChange={(event) => setPauses(event.target.checked)}
          />
          Wait before consuming, until resumed
        </label>
        <div className="toolbar">
          <button type="submit" className="button main" disabled={isBusy}>
            {isBusy ? 'Starting…' : 'Start'}
          </button>
        </div>
        {problem !== undefined && (
          <div className="notice bad" role="alert">
            <strong>It was not started</strong>
            <p>{problem}</p>
          </div>
        )}
      </form>
    </Card>
  );
}

interface FormTexts {
  readonly lag: string;
  readonly minutes: string;
  readonly serverTenant: string;
  readonly brokerTenant: string;
}

const firstTexts: FormTexts = { lag: '5000', minutes: '120', serverTenant: '', brokerTenant: '' };

/** Returns a name for the new table that is unused. */
function rebuiltName(source: string, tables: readonly string[]): string {
  if (source === '') return '';
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '_rebuilt_REALTIME' : `_rebuilt${number}_REALTIME`;
    const name = source.replace(/_REALTIME$/, end);
    if (!tables.includes(name)) return name;
  }
}
