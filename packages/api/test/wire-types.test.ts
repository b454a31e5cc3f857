import type * as wire from '@quire/core/wire';
import { expectTypeOf, test } from 'vitest';
import type {
  ResponseMetadata,
  ResultListResponse,
  RestreamResponse,
  StoredResult,
  SubtaskCount,
  SubtaskInfo,
  TaskDebug,
} from '../src/index.ts';

// The compiler checks this in `npm run check`: an optional or missing member is a difference.
test('the types that clients have of answers are those of the schemas', () => {
  expectTypeOf<wire.TaskDebug>().toEqualTypeOf<TaskDebug>();
  expectTypeOf<wire.SubtaskInfo>().toEqualTypeOf<SubtaskInfo>();
  expectTypeOf<wire.SubtaskCount>().toEqualTypeOf<SubtaskCount>();
  expectTypeOf<wire.RestreamResponse>().toEqualTypeOf<RestreamResponse>();
  expectTypeOf<wire.StoredResult>().toEqualTypeOf<StoredResult>();
  expectTypeOf<wire.ResponseMetadata>().toEqualTypeOf<ResponseMetadata>();
  expectTypeOf<wire.ResultListResponse>().toEqualTypeOf<ResultListResponse>();
});
