import { TestEngine } from './test-engine.ts';

/** Prints what queries make of a time with a zone, in the zone of this process. */
await using db = await TestEngine.open({ threads: 1 });
const answer = await db.answer(
  "SELECT hour(t) AS hour, CAST(t AS VARCHAR) AS shown, CAST(t AS DATE) AS day, TIMESTAMPTZ '2020-06-01 00:00:00' AS without_zone FROM (SELECT TIMESTAMPTZ '2020-01-01 00:00:00+00' AS t)",
);
process.stdout.write(JSON.stringify(answer.rows()));
