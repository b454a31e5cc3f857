/** A change on whose verdict we differ from the engine's own checks, and the reason. */
export interface VerdictDifference {
  /**
   * `stricter` if only we refuse it, `laxer` if only the engine does; then the member and its
   * value.
   */
  readonly change: string;
  readonly reason: string;
}

const documentReader =
  'The engine’s reader of documents asks for the member. Here it has a default, as the specification says of no member that it is required, and as a preview of a first draft needs.';
const noName = 'The engine’s check takes it; but nothing could be asked of what has no name.';

/** All differences on configs: every other change has the same verdict. */
export const configDifferences: readonly VerdictDifference[] = [
  { change: 'stricter: tableName = ""', reason: noName },
  {
    change: 'stricter: tableName = "a.b_OFFLINE"',
    reason:
      'What stands before a dot is a database there, and is left out of the comparison with the schema’s name. There are no databases here.',
  },
  { change: 'laxer: tableType = missing', reason: documentReader },
  { change: 'laxer: segmentsConfig = missing', reason: documentReader },
  { change: 'laxer: tenants = missing', reason: documentReader },
  { change: 'laxer: tableIndexConfig = missing', reason: documentReader },
  { change: 'laxer: segmentsConfig.replication = missing', reason: documentReader },
];

/** All differences on schemas. */
export const schemaDifferences: readonly VerdictDifference[] = [
  { change: 'stricter: schemaName = missing', reason: noName },
  { change: 'stricter: metricFieldSpecs = [{"name":"","dataType":"DOUBLE"}]', reason: noName },
  ...['{}', '["x"]'].map((value) => ({
    change: `stricter: metricFieldSpecs = [{"name":"price","dataType":"DOUBLE","fieldType":${value}}]`,
    reason:
      'The engine takes a list or an object as no fieldType at all. Here its type is wrong, as the specification has words for it.',
  })),
  ...['{}', '["x"]'].map((value) => ({
    change: `stricter: metricFieldSpecs = [{"name":"price","dataType":"DOUBLE","defaultNullValueString":${value}}]`,
    reason:
      'The engine never reads the member, nor does a preview. The specification says that it is text, and what is not is of a wrong type here.',
  })),
  {
    change:
      'laxer: metricFieldSpecs = [{"name":"price","dataType":"DOUBLE","singleValueField":null}]',
    reason:
      'The engine reads null as false. A member that is null counts as left out here, in schemas as elsewhere.',
  },
  {
    change:
      'stricter: metricFieldSpecs = [{"name":"price","dataType":"DOUBLE","transformFunction":"Groovy({id + 1}, id)"}]',
    reason: 'Groovy is never run here, so that a column that needs it is refused.',
  },
];
