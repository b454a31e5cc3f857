import { CallerResponse } from './caller-response.ts';
import {
  ClusterDeletionResponse,
  ClusterHealthResponse,
  ClusterResultsResponse,
  ClusterSweepResponse,
} from './cluster-response.ts';
import { ControllerHealthResponse } from './controller-health.ts';
import { ErrorBody } from './error-body.ts';
import { HealthResponse } from './health-response.ts';
import { MetadataRecord, QueryException } from './metadata-record.ts';
import { PinotCursorResponse, PinotStoredResponse } from './pinot-cursor-response.ts';
import {
  PinotBroker,
  PinotBrokerNamesByName,
  PinotBrokersByName,
  PinotTableInstances,
  PinotTableList,
  PinotTableSchema,
  PinotTenant,
} from './pinot/table-list.ts';
import { CursorResponse, MetadataResponse, QueryResponse } from './query-response.ts';
import {
  OwnedResult,
  OwnedResultListResponse,
  ResponseMetadata,
  ResultListResponse,
  StoredResult,
  UsageResponse,
} from './result-entry.ts';
import { QueryStatus, RunningQuery, RunningQueryList } from './query-status.ts';
import { DataSchema, ResultTable } from './result-table.ts';
import { SettingsResponse } from './settings-response.ts';
import { SweepPlanResponse } from './sweep-operation.ts';
import { restreamComponents } from './tables/restream-response.ts';
import { streamComponents } from './tables/stream-operations.ts';
import { taskComponents } from './tables/task-debug.ts';

/** The schemas that others reference by `$id`: the components of the OpenAPI document. */
export const components = [
  DataSchema,
  ResultTable,
  QueryException,
  MetadataRecord,
  CursorResponse,
  QueryResponse,
  MetadataResponse,
  QueryStatus,
  RunningQuery,
  RunningQueryList,
  ResponseMetadata,
  StoredResult,
  OwnedResult,
  ResultListResponse,
  OwnedResultListResponse,
  UsageResponse,
  PinotCursorResponse,
  PinotStoredResponse,
  PinotTableList,
  PinotTableSchema,
  PinotBroker,
  PinotBrokersByName,
  PinotBrokerNamesByName,
  PinotTableInstances,
  PinotTenant,
  HealthResponse,
  ControllerHealthResponse,
  ClusterResultsResponse,
  ClusterDeletionResponse,
  ClusterHealthResponse,
  CallerResponse,
  SettingsResponse,
  SweepPlanResponse,
  ClusterSweepResponse,
  ErrorBody,
] as const;

/** The components of the API document for the calls about tables, streams, tasks and restreams. */
export const tableAdminComponents = [
  ...taskComponents,
  ...restreamComponents,
  ...streamComponents,
] as const;
