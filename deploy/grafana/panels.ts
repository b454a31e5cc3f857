/**
 * The panels of the dashboard, row by row. `$s` is the variable for the processes selected above
 * the dashboard, `$i` the one for the interval of a rate.
 */

/** One panel: its title, its unit, and its series by their legends. */
export interface Panel {
  readonly title: string;
  readonly unit: 's' | 'bytes' | 'Bps' | 'ops' | 'rows/s' | 'short' | 'percentunit' | 'percent';
  readonly series: Readonly<Record<string, string>>;
  /** The interpretation, if the title does not suffice. */
  readonly note?: string;
}

/** Panels that are shown in one row. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const pageCalls = 'quire_http_request_duration_seconds';
const ofPages = `route="/query/:requestId/results"`;
const faults = (window: string): string => `quire:query_faults:ratio_rate${window}`;

/** The series of a histogram's quantile, by labels. */
function quantile(q: number, name: string, selector = '', by = ''): string {
  const labels = by === '' ? 'le' : `${by}, le`;
  const chosen = selector === '' ? '$s' : `${selector}, $s`;
  return `histogram_quantile(${q}, sum by (${labels}) (rate(${name}_bucket{${chosen}}[$i])))`;
}

export const rows: readonly Row[] = [
  {
    title: 'Overview',
    panels: [
      {
        title: 'Processes that answer',
        unit: 'short',
        series: { '{{job}}': 'sum by (job) (up{$s})' },
      },
      {
        title: 'Calls, by service and status',
        unit: 'ops',
        series: { '{{job}} {{status}}': `sum by (job, status) (rate(${pageCalls}_count{$s}[$i]))` },
      },
      {
        title: 'Error budget burn of pages',
        unit: 'short',
        note: '1 uses up exactly the budget of 0.1 % in 30 days; the alerts fire at 6 and 14.4.',
        series: {
          '1 h': 'quire:page_errors:ratio_rate1h / 0.001',
          '6 h': 'quire:page_errors:ratio_rate6h / 0.001',
        },
      },
      {
        title: 'Error budget burn of queries',
        unit: 'short',
        note: '1 uses up exactly the budget of 0.5 % in 30 days; the alerts fire at 6 and 14.4.',
        series: { '1 h': `${faults('1h')} / 0.005`, '6 h': `${faults('6h')} / 0.005` },
      },
    ],
  },
  {
    title: 'Pages',
    panels: [
      {
        title: 'Page calls, by status',
        unit: 'ops',
        series: { '{{status}}': `sum by (status) (rate(${pageCalls}_count{${ofPages}, $s}[$i]))` },
      },
      {
        title: 'Duration of page calls',
        unit: 's',
        note: 'The objective is 99 % within 250 ms.',
        series: {
          p50: quantile(0.5, pageCalls, ofPages),
          p99: quantile(0.99, pageCalls, ofPages),
        },
      },
      {
        title: 'Rows served, by format',
        unit: 'rows/s',
        series: { '{{format}}': 'sum by (format) (rate(quire_rows_served_total{$s}[$i]))' },
      },
      {
        title: 'Bytes served before compression, by format',
        unit: 'Bps',
        series: { '{{format}}': 'sum by (format) (rate(quire_bytes_served_total{$s}[$i]))' },
      },
      {
        title: 'Pages being sent',
        unit: 'short',
        series: { '{{instance}}': 'quire_page_streams{$s}' },
      },
      {
        title: 'Connections closed because the client received nothing',
        unit: 'ops',
        series: {
          '{{route}}': 'sum by (route) (rate(quire_http_responses_stalled_total{$s}[$i]))',
        },
      },
    ],
  },
  {
    title: 'Queries',
    panels: [
      {
        title: 'Queries, by outcome',
        unit: 'ops',
        series: {
          '{{outcome}}': 'sum by (outcome) (rate(quire_query_duration_seconds_count{$s}[$i]))',
        },
      },
      {
        title: 'Duration until the result is stored',
        unit: 's',
        series: {
          p50: quantile(0.5, 'quire_query_duration_seconds', 'outcome="ok"'),
          p99: quantile(0.99, 'quire_query_duration_seconds', 'outcome="ok"'),
        },
      },
      {
        title: 'Running and waiting',
        unit: 'short',
        series: {
          '{{instance}} running': 'quire_queries_running{$s}',
          '{{instance}} waiting': 'quire_queries_queued{$s}',
        },
      },
      {
        title: 'First rows of queries with async=true',
        unit: 's',
        series: { p99: quantile(0.99, 'quire_query_first_rows_seconds') },
      },
      {
        title: 'Results that are reused or read while they grow',
        unit: 'short',
        series: {
          'reused in 5 min': 'sum(increase(quire_results_reused_total{$s}[5m]))',
          growing: 'sum(quire_results_growing{$s})',
        },
      },
    ],
  },
  {
    title: 'Store and quota',
    panels: [
      {
        title: 'Calls to the store, by operation and outcome',
        unit: 'ops',
        series: {
          '{{op}} {{outcome}}':
            'sum by (op, outcome) (rate(quire_store_call_duration_seconds_count{$s}[$i]))',
        },
      },
      {
        title: 'Duration of calls to the store, p99',
        unit: 's',
        series: { '{{op}}': quantile(0.99, 'quire_store_call_duration_seconds', '', 'op') },
      },
      {
        title: 'Bytes to and from the store',
        unit: 'Bps',
        series: { '{{op}}': 'sum by (op) (rate(quire_store_bytes_total{$s}[$i]))' },
      },
      {
        title: 'Quota used',
        unit: 'percentunit',
        series: { '{{broker}}': 'quire:quota_used:ratio' },
      },
      {
        title: 'Bytes and results stored',
        unit: 'short',
        series: {
          '{{broker}} bytes': 'max by (broker) (quire_cleaner_usage_bytes{$s})',
          '{{broker}} results': 'max by (broker) (quire_cleaner_results{$s})',
        },
      },
      {
        title: 'Age of the oldest live result',
        unit: 's',
        series: {
          '{{broker}}':
            'time() - max by (broker) (quire_cleaner_oldest_result_timestamp_seconds{$s})',
        },
      },
      {
        title: 'Results that sweeps removed, by pass and outcome',
        unit: 'ops',
        series: {
          '{{pass}} {{outcome}}':
            'sum by (pass, outcome) (rate(quire_cleaner_objects_total{outcome!="wanted", $s}[$i]))',
        },
      },
      {
        title: 'Sweeps: duration, time since the last successful one',
        unit: 's',
        series: {
          '{{instance}} duration': 'quire_cleaner_last_sweep_duration_seconds{$s}',
          '{{instance}} since':
            'time() - (quire_cleaner_last_good_sweep_timestamp_seconds{$s} > 0)',
        },
      },
      {
        title: 'Writes that wait for space, or were refused',
        unit: 'short',
        series: {
          '{{instance}} waiting': 'quire_cleaner_writes_waiting{$s}',
          '{{instance}} refused in 5 min':
            'sum by (instance) (increase(quire_cleaner_writes_refused_total{$s}[5m]))',
        },
      },
    ],
  },
  {
    title: 'Tables and streams',
    panels: [
      {
        title: 'Messages behind their streams',
        unit: 'short',
        series: {
          tables: 'max(quire_controller_stream_lag_messages{$s})',
          restreams: 'max(quire_controller_restream_lag_messages{$s})',
        },
      },
      {
        title: 'Age of the oldest message that is not in a table',
        unit: 's',
        series: { age: 'max(quire_controller_stream_lag_seconds{$s})' },
      },
      {
        title: 'Partitions, by state',
        unit: 'short',
        series: Object.fromEntries(
          ['starting', 'consuming', 'committing', 'paused', 'retrying', 'stopped'].map((state) => [
            state,
            `max(quire_controller_stream_partitions_${state}{$s})`,
          ]),
        ),
      },
      {
        title: 'Tables, damaged records, skipped messages',
        unit: 'short',
        series: {
          tables: 'max(quire_controller_tables{$s})',
          damaged: 'max(quire_controller_table_problems{$s})',
          skipped: 'max(quire_controller_stream_messages_skipped{$s})',
        },
      },
      {
        title: 'Restreams that failed, subtasks that failed',
        unit: 'short',
        series: {
          restreams: 'max(quire_controller_restream_jobs_failed{$s})',
          subtasks: 'max(quire_controller_task_subtasks_failed{$s})',
        },
      },
      {
        title: 'Expiry job of the controller',
        unit: 'ops',
        series: {
          'runs {{outcome}}': 'sum by (outcome) (rate(quire_controller_expiry_runs_total{$s}[$i]))',
          'results deleted': 'sum(rate(quire_controller_expired_results_deleted_total{$s}[$i]))',
        },
      },
    ],
  },
  {
    title: 'Workers and processes',
    panels: [
      {
        title: 'Processes of queries and previews',
        unit: 'short',
        series: {
          '{{instance}} queries': 'quire_workers{$s}',
          '{{instance}} queries, busy': 'quire_workers_busy{$s}',
          '{{instance}} previews': 'quire_controller_workers{$s}',
          '{{instance}} previews, busy': 'quire_controller_workers_busy{$s}',
        },
      },
      {
        title: 'Threads that encode pages',
        unit: 'short',
        series: {
          '{{instance}}': 'quire_page_threads{$s}',
          '{{instance}} busy': 'quire_page_threads_busy{$s}',
        },
      },
      {
        title: 'Processes that were killed, by reason',
        unit: 'ops',
        series: {
          'queries {{reason}}': 'sum by (reason) (rate(quire_workers_killed_total{$s}[$i]))',
          'previews {{reason}}':
            'sum by (reason) (rate(quire_controller_workers_killed_total{$s}[$i]))',
        },
      },
      {
        title: 'Delay of the event loop, p99',
        unit: 's',
        series: { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds{$s}' },
      },
      {
        title: 'Processor time',
        unit: 'percentunit',
        note: 'Of the main process; 1 is one core. Workers are separate processes.',
        series: { '{{instance}}': 'rate(process_cpu_seconds_total{$s}[$i])' },
      },
      {
        title: 'Resident memory',
        unit: 'bytes',
        series: { '{{instance}}': 'process_resident_memory_bytes{$s}' },
      },
      {
        title: 'Brokers as the proxy sees them',
        unit: 'short',
        series: {
          '{{instance}} up': 'quire_proxy_brokers_up{$s}',
          '{{instance}} down': 'quire_proxy_brokers_down{$s}',
        },
      },
      {
        title: 'Calls that the proxy forwarded, by broker and outcome',
        unit: 'ops',
        series: {
          '{{broker}} {{outcome}}':
            'sum by (broker, outcome) (rate(quire_proxy_broker_call_duration_seconds_count{$s}[$i]))',
        },
      },
      {
        title: 'How the proxy found the broker of a call',
        unit: 'ops',
        series: { '{{by}}': 'sum by (by) (rate(quire_proxy_routed_total{$s}[$i]))' },
      },
    ],
  },
  {
    title: 'Per principal',
    panels: [
      {
        title: 'Running queries, by principal',
        unit: 'short',
        note: 'Only scrapes with the token of an admin see names.',
        series: {
          '{{principal}}': 'sum by (principal) (quire_queries_running_by_principal{$s})',
        },
      },
      {
        title: 'Waiting queries, by principal',
        unit: 'short',
        series: { '{{principal}}': 'sum by (principal) (quire_queries_queued_by_principal{$s})' },
      },
      {
        title: 'Bytes stored, by principal',
        unit: 'bytes',
        series: {
          '{{principal}}': 'sum by (principal) (quire_cleaner_principal_usage_bytes{$s})',
        },
      },
      {
        title: 'Writes refused because a share of the quota is used up',
        unit: 'ops',
        series: {
          '{{instance}}':
            'sum by (instance) (rate(quire_cleaner_writes_refused_by_share_total{$s}[$i]))',
        },
      },
    ],
  },
];
